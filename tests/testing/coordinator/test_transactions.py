"""Offsets committed in a transaction: who may, when they count, and what undoes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.groups.listed import GroupsListed
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.requests import (
    DeleteGroups,
    ListGroups,
    OffsetCommit,
    OffsetFetch,
    TxnOffsetCommit,
)
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted, OffsetsFetched
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.support.examples import examples
from tests.testing.coordinator.stage import GROUP, Stage

FOO_0, FOO_1 = TopicPartition("foo", 0), TopicPartition("foo", 1)
P, Q = 7, 8  # producers
UNSTABLE = "unstable"

JOINING = JoinGroup(
    number=1,
    group_id=GROUP,
    member_id="",
    protocol_type="consumer",
    protocols=(OfferedProtocol("range"),),
    session_timeout_ms=10_000,
    rebalance_timeout_ms=10_000,
    version=3,  # the last by which a member without an id joins at once
    new_member_id="A",
)


@define
class Ledger:
    """A stage, and what is done to offsets there."""

    stage: Stage = field(factory=Stage)

    def __attrs_post_init__(self) -> None:
        self.stage.set_topic("foo", 2)

    def pend(self, producer: int, offset: int, partition: TopicPartition = FOO_0, **who: object) -> ErrorCode:
        request = TxnOffsetCommit(GROUP, {partition: OffsetAndMetadata(offset)}, producer, 0, **who)  # type: ignore[arg-type]
        answer = self.stage.ask(request).response
        assert isinstance(answer, OffsetsCommitted)
        return answer.errors[partition]

    def commit(self, offset: int, partition: TopicPartition = FOO_0) -> None:
        self.stage.ask(OffsetCommit(GROUP, {partition: OffsetAndMetadata(offset)}))

    def end(self, producer: int, is_commit: bool) -> None:
        self.stage.ask(EndTransaction(producer, is_commit))

    def seen(self, partition: TopicPartition = FOO_0, *, stable: bool = True) -> int | str | None:
        """The offset that is told, ``UNSTABLE``, or None if there is none."""
        answer = self.stage.ask(OffsetFetch(GROUP, (partition,), require_stable=stable)).response
        assert isinstance(answer, OffsetsFetched)
        if partition in answer.unstable:
            return UNSTABLE
        offset = answer.offsets[partition]
        return None if offset is None else offset.offset


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def test_a_group_that_has_nothing_but_pending_offsets_is_one(ledger: Ledger) -> None:
    ledger.pend(P, 9)
    listed = ledger.stage.ask(ListGroups()).response
    assert isinstance(listed, GroupsListed)
    assert [(group.group_id, group.state, group.group_type) for group in listed.groups] == [(GROUP, "Empty", "classic")]
    ledger.end(P, False)
    assert ledger.stage.ask(ListGroups()).response == GroupsListed(())


def test_with_a_group_its_pending_offsets_go(ledger: Ledger) -> None:
    ledger.pend(P, 9)
    ledger.stage.ask(DeleteGroups((GROUP,)))
    assert ledger.seen() is None
    ledger.end(P, True)
    assert ledger.seen() is None


def test_with_a_topic_its_pending_offsets_go(ledger: Ledger) -> None:
    ledger.pend(P, 9)
    ledger.stage.delete_topic("foo")
    ledger.end(P, True)
    assert ledger.seen() is None


def test_metadata_may_not_be_too_long(ledger: Ledger) -> None:
    offsets = {FOO_0: OffsetAndMetadata(1, metadata="x" * 4097), FOO_1: OffsetAndMetadata(1)}
    answer = ledger.stage.ask(TxnOffsetCommit(GROUP, offsets, P, 0)).response
    assert answer == OffsetsCommitted({FOO_0: ErrorCode.OFFSET_METADATA_TOO_LARGE, FOO_1: ErrorCode.NONE})


# ---- who may


@pytest.mark.parametrize(
    ("who", "error"),
    [
        pytest.param({}, ErrorCode.NONE, id="a producer that knows nothing of the group"),
        pytest.param({"member_id": "A", "member_epoch": 2}, ErrorCode.NONE, id="a member"),
        pytest.param({"member_id": "A", "member_epoch": 9}, ErrorCode.ILLEGAL_GENERATION, id="at another epoch"),
        pytest.param({"member_id": "Z", "member_epoch": 2}, ErrorCode.UNKNOWN_MEMBER_ID, id="nobody"),
        pytest.param({"member_epoch": 2}, ErrorCode.UNKNOWN_MEMBER_ID, id="without a member id"),
    ],
)
def test_who_may_in_a_consumer_group(ledger: Ledger, who: dict[str, object], error: ErrorCode) -> None:
    ledger.stage.join("A")
    assert ledger.pend(P, 1, **who) is error


@pytest.mark.parametrize(
    ("who", "error"),
    [
        pytest.param({}, ErrorCode.NONE, id="a producer that knows nothing of the group"),
        pytest.param({"member_id": "A", "member_epoch": 7}, ErrorCode.ILLEGAL_GENERATION, id="at another generation"),
        pytest.param({"member_id": "Z", "member_epoch": 0}, ErrorCode.UNKNOWN_MEMBER_ID, id="nobody"),
    ],
)
def test_who_may_in_a_classic_group(ledger: Ledger, who: dict[str, object], error: ErrorCode) -> None:
    ledger.stage.ask(JOINING)
    assert ledger.pend(P, 1, **who) is error


@pytest.mark.parametrize(
    ("who", "error"),
    [
        ({}, ErrorCode.NONE),
        ({"member_id": "A"}, ErrorCode.NONE),
        ({"member_id": "A", "member_epoch": 1}, ErrorCode.ILLEGAL_GENERATION),
    ],
)
def test_who_may_where_there_is_no_group(ledger: Ledger, who: dict[str, object], error: ErrorCode) -> None:
    assert ledger.pend(P, 1, **who) is error


@pytest.mark.parametrize(
    ("who", "error"),
    [
        pytest.param({"member_id": "A", "member_epoch": 9}, ErrorCode.STALE_MEMBER_EPOCH, id="at another epoch"),
        pytest.param({"member_id": "Z", "member_epoch": 2}, ErrorCode.UNKNOWN_MEMBER_ID, id="nobody"),
    ],
)
def test_version_6_says_that_a_member_epoch_is_stale(ledger: Ledger, who: dict[str, object], error: ErrorCode) -> None:
    ledger.stage.join("A")
    assert ledger.pend(P, 1, version=6, **who) is error


def test_version_6_says_that_there_is_no_group(ledger: Ledger) -> None:
    assert ledger.pend(P, 1, version=6, member_id="A", member_epoch=1) is ErrorCode.GROUP_ID_NOT_FOUND


def test_version_6_says_of_a_classic_group_what_it_said_before(ledger: Ledger) -> None:
    ledger.stage.ask(JOINING)
    assert ledger.pend(P, 1, version=6, member_id="A", member_epoch=7) is ErrorCode.ILLEGAL_GENERATION


@pytest.mark.parametrize(("profile", "is_kept"), [(Profile.V4_3, False), (Profile.V4_4, True)])
def test_offsets_of_transactions_keep_the_topic_id_since_kafka_4_4(profile: Profile, is_kept: bool) -> None:
    ledger = Ledger(Stage(CoordinatorSettings(profile=profile)))
    ledger.pend(P, 9)
    ledger.end(P, True)
    assert (ledger.stage.group.offsets[FOO_0].topic_id is not None) is is_kept


# ---- whatever happens


Step = Callable[[Ledger, "Model"], None]


@define
class Model:
    """What is committed, and what each producer has in hand: offset, and when it was written."""

    committed: dict[TopicPartition, tuple[int, int]] = field(factory=dict)
    pending: dict[tuple[int, TopicPartition], tuple[int, int]] = field(factory=dict)
    now: int = 0

    def end(self, producer: int, is_commit: bool) -> None:
        for key in [key for key in self.pending if key[0] == producer]:
            offset, written = self.pending.pop(key)
            if is_commit and written > self.committed.get(key[1], (0, 0))[1]:
                self.committed[key[1]] = offset, written


def walk_step(kind: str, producer: int, partition: TopicPartition) -> Step:
    def take(ledger: Ledger, model: Model) -> None:
        model.now += 1
        if kind == "pend":
            assert ledger.pend(producer, model.now, partition) is ErrorCode.NONE
            model.pending[producer, partition] = model.now, model.now
        elif kind == "commit":
            ledger.commit(model.now, partition)
            model.committed[partition] = model.now, model.now
        elif kind == "fail over":
            ledger.stage.fail_over()
        else:
            ledger.end(producer, kind == "end")
            model.end(producer, kind == "end")

    return take


kinds = st.sampled_from(["pend", "pend", "commit", "end", "abort", "fail over"])
steps = st.builds(walk_step, kinds, st.just(P), st.sampled_from([FOO_0, FOO_1]))


@settings(max_examples=examples(60))
@given(st.lists(steps, max_size=14))
def test_offsets_are_what_was_written_last_and_not_undone(walk: list[Step]) -> None:
    ledger, model = Ledger(), Model()
    for take_step in walk:
        take_step(ledger, model)
        ledger.stage.check()
        for partition in (FOO_0, FOO_1):
            expected = model.committed.get(partition, (None, 0))[0]
            assert ledger.seen(partition, stable=False) == expected
            is_pending = any(pending == partition for _, pending in model.pending)
            assert ledger.seen(partition) == (UNSTABLE if is_pending else expected)
