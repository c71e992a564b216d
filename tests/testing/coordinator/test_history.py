"""The history of a group: its bounds, what ends with an assignment, and whose cause a LeaveGroup is."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.extensions.records import RebalanceRecordedRemoved
from kafka_nextgen.groups.leaving import LeavingMember
from kafka_nextgen.groups.records import GroupMetadata, TargetAssignmentMetadata
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.history import forget_history, note_assignment, note_rebalance
from kafka_nextgen.testing.coordinator.extensions.hooks import EXTENSIONS
from kafka_nextgen.testing.coordinator.extensions.state import HISTORY
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.reasons import cause_of_leaving
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.testing.coordinator.topics import Topics
from kafka_nextgen.types import RebalanceReason

CAME = Cause(RebalanceReason.MEMBER_JOINED, "A", text="subscribed")
ADMIN, LEFT = RebalanceReason.ADMIN, RebalanceReason.MEMBER_LEFT


def draft_of(group: Group, *, size: int = 3, extensions: bool = True, now: float = 5.0) -> Draft:
    settings = CoordinatorSettings(extensions=extensions, group_rebalance_history_size=size)
    return Draft(group, Topics(), settings, now)


def raise_epoch(draft: Draft, times: int = 1, cause: Cause = CAME) -> None:
    for _ in range(times):
        draft.write(GroupMetadata("g", draft.group.epoch + 1))
        note_rebalance(draft, cause)


def kept(group: Group) -> list[int]:
    return sorted(rebalance.number for rebalance in HISTORY.of(group).values())


@pytest.fixture
def group() -> Group:
    return Group("g", first_epoch=1, hooks=EXTENSIONS)


def test_the_latest_are_kept_by_their_numbers(group: Group) -> None:
    raise_epoch(draft_of(group), times=7)
    assert kept(group) == [5, 6, 7]
    assert {slot: rebalance.number for slot, rebalance in HISTORY.of(group).items()} == {2: 5, 0: 6, 1: 7}


def test_a_smaller_size_takes_back_the_places_beyond(group: Group) -> None:
    raise_epoch(draft_of(group, size=5), times=5)
    smaller = draft_of(group, size=2)
    raise_epoch(smaller)
    assert set(HISTORY.of(group)) == {0, 1}
    removed = [record.slot for record in smaller.records if isinstance(record, RebalanceRecordedRemoved)]
    assert sorted(removed) == [2, 3, 4]
    assert max(kept(group)) == 6


@pytest.mark.parametrize("off", [{"extensions": False}, {"size": 0}], ids=["no extensions", "no size"])
def test_where_nothing_is_kept_nothing_is_written_but_what_was_is_taken_back(group: Group, off: dict[str, int]) -> None:
    raise_epoch(draft_of(group), times=2)
    draft = draft_of(group, **off)  # type: ignore[arg-type]  # one of them is a truth
    raise_epoch(draft)
    note_assignment(draft)
    assert [type(record) for record in draft.records] == [GroupMetadata]
    forget_history(draft)
    assert HISTORY.of(group) == {}


def test_an_assignment_ends_what_it_takes_into_account_and_no_more(group: Group) -> None:
    draft = draft_of(group)
    raise_epoch(draft, times=3)  # to epoch 4
    draft.write(TargetAssignmentMetadata("g", 3, 1))
    note_assignment(evolve(draft, now=8.0))
    ended = {rebalance.epoch: rebalance.target_epoch for rebalance in HISTORY.of(group).values()}
    assert ended == {2: 3, 3: 3, 4: None}
    assert {rebalance.assigned_at_ms for rebalance in HISTORY.of(group).values()} == {8000, None}


def test_what_members_say_is_cut(group: Group) -> None:
    raise_epoch(draft_of(group), cause=evolve(CAME, text="x" * 10_000))
    (rebalance,) = HISTORY.of(group).values()
    assert rebalance.cause.text == "x" * 255


@pytest.mark.parametrize(
    ("left", "speaks_consumer", "reason"),
    [
        ([("A", LeavingMember("A", None, "closing"))], False, LEFT),
        ([("A", LeavingMember("A", "one"))], False, LEFT),
        ([("A", LeavingMember("", "one"))], False, ADMIN),
        ([("A", LeavingMember("A"))], True, ADMIN),
        ([("A", LeavingMember("A")), ("B", LeavingMember("B"))], False, ADMIN),
        ([("A", LeavingMember("A", None, "member was removed by an admin: moved"))], False, ADMIN),
    ],
)
def test_a_leave_group_is_the_members_or_an_administrators(
    left: list[tuple[str, LeavingMember]], speaks_consumer: bool, reason: RebalanceReason
) -> None:
    assert cause_of_leaving(left, speaks_consumer=speaks_consumer).reason is reason


def test_whoever_left_as_well_is_named() -> None:
    left = [("A", LeavingMember("A", None, "scaled in")), ("B", LeavingMember("B")), ("C", LeavingMember("C"))]
    assert cause_of_leaving(left).text == "scaled in, B left, C left"


@pytest.mark.parametrize("reason", RebalanceReason)
def test_every_reason_has_words(reason: RebalanceReason) -> None:
    assert "{" not in str(Cause(reason, "A"))
    assert str(Cause(reason, "A", text="because")).endswith(" (because)")
