"""``SteadyFetch`` beside the answers it takes: what it asks for next, and what it keeps in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import product
from uuid import UUID

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.fetch_request import WantedPartition, WantedTopic
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.requests.over_the_wire import AUDIT, ORDERS
from tests.support.failing_memory import in_process_that_may_fail, runs_out
from tests.wire.calls_into_c import growth_of
from tests.wire.steady_bodies import NOTHING_FRAME as NOTHING
from tests.wire.steady_bodies import SOUND_FRAME as SOUND
from tests.wire.steady_bodies import bring
from tests.wire.steady_twin import (
    EPOCH,
    ORDERS_1,
    PLACES,
    TYPES,
    Place,
    Start,
    Twin,
    agrees,
    batch,
    body_of,
    frame_of,
    partition_of,
    topic_of,
)

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the extension was not compiled")

LAST = 2**31 - 1


def wanted(number: int, offset: int, last_epoch: int = -1) -> WantedPartition:
    """A partition of orders as it is asked for."""
    return number, 4, offset, last_epoch, 1_000 + number


def orders(*partitions: WantedPartition) -> WantedTopic:
    return WantedTopic("orders", ORDERS, list(partitions))


BEHIND_SOUND = [orders(wanted(1, 5), wanted(3, 12)), WantedTopic("audit", AUDIT, [(0, 6, 1, 2, 2_000)])]
ODD = bring(4)[:-1]


def asked(step: accelerator.SteadyFetch[DecodedPartition], frame: bytes, correlation_id: int) -> bytes:
    """What is asked for next."""
    taken = step.answer(frame, correlation_id)
    assert taken is not None
    return taken[0]


# ---- requests


def test_it_asks_as_python_would() -> None:
    for version, client_id, rack_id in product(range(13, 18), ("me", "größe", "", None), ("", "rack-7", "r" * 300)):
        start = Start(version=version, client_id=client_id, rack_id=rack_id)
        assert asked(start.step(), SOUND, 6) == start.request(6, EPOCH + 1, BEHIND_SOUND), start


def test_a_request_has_the_number_that_it_is_given_and_the_first_epoch_follows_the_last_one() -> None:
    for correlation_id in (-(2**31), -1, 0, 0x01020304, LAST):
        assert asked(Start().step(), NOTHING, correlation_id) == Start().request(correlation_id, EPOCH + 1, ())
    start = Start(epoch=LAST - 1)
    step = start.step()
    for epoch in (LAST, 1, 2):
        assert asked(step, NOTHING, 6) == start.request(6, epoch, ())


def test_each_answer_is_asked_on_behind() -> None:
    step = Start().step()
    for at, (offset, count, epoch, last_epoch) in enumerate(
        [(3, 2, -1, -1), (5, 1, 8, 8), (6, 40, -1, 8), (50, 1, 0, 0), (51, 1, 9, 9)], 1
    ):
        expected = orders(wanted(1, offset + count, last_epoch))
        assert step.answer(ODD, 0) is None
        assert asked(step, bring(offset, count, epoch), at) == Start().request(at, EPOCH + at, [expected])
        assert (step.places()[ORDERS_1], step.answers) == ((offset + count, last_epoch), at)


def test_places_are_those_that_are_asked_for() -> None:
    step = Start().step()
    before = {place.partition: (place.offset, place.last_epoch) for place in PLACES}
    assert (step.places(), step.answers) == (before, 0)
    step.answer(bring(3, leader_epoch=8), 6)
    assert step.places() == before | {ORDERS_1: (4, 8)}
    assert step.answers == 1


def test_many_partitions_and_many_topics_may_be_answered() -> None:
    ids = [UUID(int=at) for at in range(1, 127)]
    records = encode_batch([NewRecord(None)], base_offset=3)
    many_partitions = topic_of(*(partition_of(number, records) for number in range(126)))
    many_topics = [topic_of(partition_of(1, records), topic_id=topic_id) for topic_id in ids]
    of_orders = [place_of(ORDERS, number) for number in range(126)]
    of_ids = [place_of(topic_id, 1) for topic_id in ids]
    for places, body in ((of_orders, body_of(many_partitions)), (of_ids, body_of(*many_topics))):
        start = Start(places=places)
        assert agrees(start.step(), Twin(start), frame_of(body))


def place_of(topic_id: UUID, number: int) -> Place:
    return Place(TopicPartition(str(topic_id), number), topic_id.bytes, number, 4, 3, -1, 1_000)


def test_a_place_is_found_among_many() -> None:
    ids = [UUID(bytes=bytes([255 - topic]) * 16) for topic in range(250)]
    start = Start(places=[place_of(topic_id, number) for number in range(99, -1, -1) for topic_id in ids])
    body = body_of(
        topic_of(partition_of(99, batch()), topic_id=ids[0]), topic_of(partition_of(0, batch()), topic_id=ids[-1])
    )
    assert agrees(start.step(), Twin(start), frame_of(body))


def test_without_places_no_answer_may_tell_of_any() -> None:
    start = Start(places=())
    step, twin = start.step(), Twin(start)
    assert agrees(step, twin, NOTHING)
    assert not agrees(step, twin, bring(3))
    assert step.places() == {}


def test_columns_do_not_look_into_the_frame_which_is_let_go() -> None:
    step = Start().step()
    for data in (ODD, bring(3, 2)):
        frame = bytearray(data)
        taken = step.answer(frame, 6)
        frame[:] = bytes(len(frame))
        frame.append(0)  # a BufferError as long as it is held
    assert taken is not None
    columns = taken[1][0].columns
    assert columns is not None
    assert columns.values.to_list(0, 2) == [b"v0", b"v1"]


# ---- memory


def test_nothing_is_kept_of_what_was_answered() -> None:
    arguments = Start(client_id="me" * 50, rack_id="r" * 50).arguments
    frames = [SOUND, bring(5)]

    def use() -> None:
        step = accelerator.SteadyFetch(*arguments)
        for frame in (*frames, ODD, *frames):
            step.answer(frame, 6)
        step.places()

    assert growth_of(use) < 2_000


def refcounts(of: Sequence[object]) -> list[int]:
    return [sys.getrefcount(each) for each in of]


def test_references_are_given_back() -> None:
    arguments = Start().arguments
    shared = [
        *(place.partition for place in PLACES),
        *TYPES,
        DecodedPartition,
        accelerator.SteadyFetch,
        *(each for each in arguments if isinstance(each, bytes)),
    ]
    before = refcounts(shared)
    step = accelerator.SteadyFetch(*arguments)
    held = refcounts(shared)
    for at in range(1_000):
        step.answer(bring(3 + at), at)
        step.answer(ODD, at)
        step.places()
    assert refcounts(shared) == held
    with pytest.raises(TypeError):
        accelerator.SteadyFetch(*arguments[:6], [*PLACES, ()], *arguments[7:])
    assert refcounts(shared) == held
    del step
    assert refcounts(shared) == before


def test_whatever_there_is_no_memory_for_nothing_changes_and_nothing_is_kept() -> None:
    in_process_that_may_fail(fail_for_lack_of_memory)


def fail_for_lack_of_memory() -> None:
    step, twin, arguments = Start().step(), Twin(Start()), Start().arguments
    shared = [*(place.partition for place in PLACES), *TYPES, DecodedPartition, accelerator.SteadyFetch]
    before = refcounts(shared)
    for call in (lambda: step.answer(SOUND, 6), lambda: accelerator.SteadyFetch(*arguments)):
        assert failures_of(call, step) > 0
    has_kept_what_it_takes = sys.version_info < (3, 11)
    assert failures_of(step.places, step) > 0 or has_kept_what_it_takes
    assert refcounts(shared) == before
    assert twin.answer(SOUND[5:], 6) is not None
    assert agrees(step, twin, bring(5))


def failures_of(call: Callable[[], object], step: accelerator.SteadyFetch[DecodedPartition]) -> int:
    """How often a call fails until there is memory enough for it; nothing changes then."""
    places, answers, failures = step.places(), step.answers, 0
    while runs_out(call, failures):
        assert (step.places(), step.answers) == (places, answers)
        failures += 1
    return failures
