"""What goes to a broker in fetches: sessions (KIP-227), which lose nothing when a broker ends one, waits and racks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.context import Context
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FETCH, LIST_OFFSETS
from kafka_nextgen.wire.messages import FetchRequest, FetchResponse
from tests.engine.stage import Stage, poll_until, read, tp, values

PARTITIONS = 4
LONG_MS = 30_000


def told(fetches: list[Any]) -> list[tuple[int, int]]:
    """The epoch of each fetch, and how many partitions were named."""
    return [(fetch.session_epoch, sum(len(topic.partitions) for topic in fetch.topics)) for fetch in fetches]


def sessions_of(stage: Stage) -> int:
    return stage.run(lambda: len(stage.cluster._broker._cluster.fetch_sessions[1]._sessions))


# ---- sessions


def test_partitions_are_named_once_and_epochs_count_the_fetches(stage: Stage) -> None:
    stage.create(partitions=PARTITIONS)
    fetches = stage.watch(FETCH)
    with stage.reader(*range(PARTITIONS)) as consumer:
        poll_until(consumer, lambda: len(fetches) >= 4)
        stage.write(2, 5)
        assert values(read(consumer, 5)) == [0, 1, 2, 3, 4]
        poll_until(consumer, lambda: told(fetches)[-1][1] == 0)
    *all_but_last, last = told(fetches)
    assert last == (-1, 0), "closing ends it"
    assert [epoch for epoch, _ in all_but_last] == list(range(len(all_but_last)))
    assert all_but_last[0] == (0, PARTITIONS)
    assert max(named for _, named in all_but_last[1:]) == 1, "only the one that moved"


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
        ErrorCode.INCONSISTENT_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_ID,
    ],
)
def test_a_session_that_the_broker_refuses_is_begun_anew(stage: Stage, code: ErrorCode) -> None:
    stage.create(partitions=PARTITIONS)
    original, refusals = stage.original(FETCH), [code, code]

    async def refuse_two(request: FetchRequest, context: Context) -> object:
        if request.session_epoch > 0 and refusals:
            return FetchResponse(error_code=refusals.pop(), responses=[])
        return await original(request, context)

    stage.handle(FETCH, refuse_two)
    fetches = stage.watch(FETCH)
    with stage.reader(*range(PARTITIONS)) as consumer:
        poll_until(consumer, lambda: not refusals)
        stage.write(1, 3)
        assert values(read(consumer, 3)) == [0, 1, 2]
    assert told(fetches)[:5] == [(0, PARTITIONS), (1, 0), (0, PARTITIONS), (1, 0), (0, PARTITIONS)]


def test_closing_ends_the_sessions_although_a_fetch_is_held_back(stage: Stage) -> None:
    stage.create(partitions=PARTITIONS, records=1)
    fetches = stage.watch(FETCH)
    with stage.reader(fetch_max_wait_ms=LONG_MS, request_timeout_ms=2 * LONG_MS) as consumer:
        read(consumer, 1)
        poll_until(consumer, lambda: len(fetches) >= 2)
        assert sessions_of(stage) == 1
    assert told(fetches)[-1] == (-1, 0)
    assert sessions_of(stage) == 0


def test_a_broker_that_does_not_answer_does_not_keep_it_from_closing(stage: Stage) -> None:
    with stage.after_reading(1):
        unanswered = stage.never(FETCH)
    assert unanswered.is_set()


# ---- waits and racks


@pytest.mark.parametrize(
    ("before", "begin"),
    [
        pytest.param([0], lambda consumer: consumer.assign([tp(0), tp(1)]), id="assigned"),
        pytest.param([0, 1], lambda consumer: consumer.seek(tp(1), 0), id="sought"),
    ],
)
def test_a_partition_that_is_new_does_not_wait_for_the_long_poll(
    stage: Stage, before: list[int], begin: Callable[[Consumer], None]
) -> None:
    stage.create(partitions=2)
    stage.write(1, 3)
    fetches = stage.watch(FETCH)
    patient = {"fetch_max_wait_ms": LONG_MS, "request_timeout_ms": 2 * LONG_MS}
    with stage.reader(*before, auto_offset_reset="latest", **patient) as consumer:
        poll_until(consumer, lambda: LONG_MS in [fetch.max_wait_ms for fetch in fetches])
        begin(consumer)
        consumer.seek(tp(1), 0)
        assert values(read(consumer, 3)) == [0, 1, 2]
    assert [fetch.max_wait_ms for fetch in fetches].count(LONG_MS) == 1


@pytest.mark.parametrize(("config", "told"), [({"client_rack": "r1"}, "r1"), ({}, None)])
def test_a_rack_is_told_on_joining_and_in_every_fetch(
    stage: Stage, config: dict[str, object], told: str | None
) -> None:
    """KIP-392, KIP-848."""
    joins, fetches = stage.watch(CONSUMER_GROUP_HEARTBEAT), stage.watch(FETCH)
    stage.after_reading(10, **config).close()
    assert {fetch.rack_id for fetch in fetches[:-1]} == {told or ""}  # the last one ends the session
    assert joins[0].rack_id == told
    assert {join.rack_id for join in joins[1:]} == {None}, "unchanged"


@pytest.mark.parametrize(("level", "number"), [("read_uncommitted", 0), ("read_committed", 1)])
def test_the_end_is_asked_for_by_the_isolation_level_and_at_its_leaders_epoch(
    stage: Stage, level: str, number: int
) -> None:
    """KIP-98: ``read_committed`` wants the last stable offset. KIP-320: a node that led before notices."""
    stage.create()
    asked, epoch = stage.watch(LIST_OFFSETS), stage._partition(0).leader_epoch
    with stage.reader(isolation_level=level, auto_offset_reset="latest") as consumer:
        assert consumer.position(tp()) == 0
        assert consumer.end_offsets([tp()]) == {tp(): 0}
    assert [request.isolation_level for request in asked] == [number] * 2
    assert [request.topics[0].partitions[0].current_leader_epoch for request in asked] == [epoch] * 2
