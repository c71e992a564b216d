"""Two looks at a group, and what happened between them."""

from __future__ import annotations

import itertools

import pytest

from kafka_nextgen.admin import GroupDescription, GroupState
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.collecting.poller import GroupPoller
from kafka_nextgen.errors import BrokerError, NoBrokersError
from kafka_nextgen.history.json_lines import decode_event, encode_event
from tests.collecting.describing import classic, consumers, in_words, member, offsets


def poller(*, is_new: bool = False) -> GroupPoller:
    return GroupPoller("poller:here/1", "c1", "g", itertools.count(), is_new)


def test_what_is_there_at_the_first_look_is_told_as_such() -> None:
    group = consumers(5, member("a", "t[0-1]", "t[0-2]", epoch=4, instance="one"))
    assert in_words(poller().observe(1_000, group)) == [
        "joined a @4 (begins in the middle)",
        "group epoch @5 (begins in the middle)",
        "target @5 (begins in the middle)",
        "target a @5 t[0,1,2] (begins in the middle)",
        "assigned a @4 t[0,1] (begins in the middle)",
    ]


def test_events_say_who_where_and_when() -> None:
    group = consumers(5, member("a", "t[0-1]", epoch=4, instance="one"))
    joined, epoch, *_ = poller().observe(1_000, group)
    assert (joined.member, joined.instance, joined.client, joined.host) == ("a", "one", "client-a", "/127.0.0.1")
    assert (joined.at, joined.seq, joined.source, joined.cluster) == (1_000, 0, "poller:here/1", "c1")
    assert (joined.group, joined.protocol, epoch.seq) == ("g", "consumer", 1)


BETWEEN: dict[str, tuple[GroupDescription | None, GroupDescription | None, list[str]]] = {
    "nothing": (consumers(1, member("a", "t[0]", "t[0]")), consumers(1, member("a", "t[0]", "t[0]")), []),
    "a member joins": (
        consumers(1, member("a", "t[0-1]", "t[0-1]")),
        consumers(2, member("a", "t[0-1]", "t[0]", 1), member("b", "-", "t[1]", 2)),
        ["joined b @2", "group epoch b @2 (member joined)", "target @2", "target a @2 t[0]", "target b @2 t[1]"],
    ),
    "a partition moves": (
        consumers(2, member("b", "-", "t[1]", 2), member("a", "t[0-1]", "t[0]", 1)),
        consumers(2, member("b", "t[1]", "t[1]", 2), member("a", "t[0]", "t[0]", 2)),
        ["revoked a @2 t[1]", "assigned b @2 t[1]", "assigned a @2 -"],
    ),
    "a member leaves": (
        consumers(2, member("a", "t[0]", "t[0]", 2), member("b", "t[1]", "t[1]", 2)),
        consumers(3, member("a", "t[0-1]", "t[0-1]", 3)),
        [
            "left b @2 (unknown)",
            "group epoch b @3 (member gone)",
            "target @3",
            "target a @3 t[0,1]",
            "assigned a @3 t[1]",
        ],
    ),
    "a static member comes back under another id": (
        consumers(2, member("a", "t[0]", "t[0]", 2, instance="one")),
        consumers(2, member("b", "t[0]", "t[0]", 2, instance="one")),
        ["left a @2 (unknown)", "joined b @2", "target b @2 t[0]", "assigned b @2 t[0]"],
    ),
    "the epoch moved by more than the one member that left": (
        consumers(2, member("a", "t[0]", "t[0]", 2), member("b", "-", "-", 2)),
        consumers(4, member("a", "t[0]", "t[0]", 4)),
        ["left b @2 (unknown)", "group epoch @4", "target @4", "assigned a @4 -"],
    ),
    "the group epoch is ahead of the target": (
        consumers(2, member("a", "t[0]", "t[0]", 2)),
        consumers(3, member("a", "t[0]", "t[0]", 2), target_epoch=2),
        ["group epoch @3"],
    ),
    "a topic leaves the target, and another comes": (
        consumers(2, member("a", "t[0] u[0]", "t[0] u[0]", 2)),
        consumers(3, member("a", "t[0]", "t[0] v[1]", 3)),
        ["group epoch @3", "target @3", "target a @3 u[]", "target a @3 v[1]", "revoked a @3 u[0]"],
    ),
    "the group is gone": (consumers(2, member("a", "t[0]", "t[0]", 2)), None, ["left a @2 (unknown)"]),
    "the group comes": (
        None,
        consumers(1, member("a", "t[0]", "t[0]", 1)),
        ["joined a @1", "group epoch @1", "target @1", "target a @1 t[0]", "assigned a @1 t[0]"],
    ),
    "a classic group begins to rebalance": (
        classic(GroupState.STABLE, member("a", "t[0-1]", epoch=None)),
        classic(GroupState.PREPARING_REBALANCE, member("a", "-", epoch=None), member("b", "-", epoch=None)),
        ["joined b"],
    ),
    "a classic group has rebalanced": (
        classic(GroupState.STABLE, member("a", "t[0-1]", epoch=None), member("b", "-", epoch=None)),
        classic(GroupState.STABLE, member("a", "t[0]", epoch=None), member("b", "t[1]", epoch=None)),
        ["revoked a t[1]", "assigned b t[1]"],
    ),
    "an assignment can't be told": (
        classic(GroupState.STABLE, member("a", "t[0]", epoch=None)),
        classic(GroupState.STABLE, member("a", None, epoch=None)),
        [],
    ),
}


@pytest.mark.parametrize("before", BETWEEN)
def test_what_happened_between_two_looks(before: str) -> None:
    first, second, expected = BETWEEN[before]
    looking = poller()
    seen, found = looking.observe(1, first), looking.observe(2, second)
    assert in_words(found) == expected
    events = seen + found + looking.observe_offsets(3, offsets({0: (5, 9)}))
    assert [decode_event(encode_event(event)) for event in events] == events
    assert [event.seq for event in events] == list(range(len(events)))


def test_what_a_classic_group_had_before_it_rebalanced_is_remembered() -> None:
    looking = poller()
    looking.observe(1, classic(GroupState.STABLE, member("a", "t[0-1]", epoch=None)))
    looking.observe(2, classic(GroupState.COMPLETING_REBALANCE, member("a", "-", epoch=None)))
    assert looking.observe(3, classic(GroupState.STABLE, member("a", "t[0-1]", epoch=None))) == []


def test_a_group_that_came_later_is_not_first_seen() -> None:
    assert "joined a @1" in in_words(poller(is_new=True).observe(1, consumers(1, member("a", "t[0]"))))


def test_a_group_made_again_begins_anew() -> None:
    looking = poller()
    looking.observe(1, consumers(1))
    looking.observe_offsets(1, offsets({0: (5, None)}))
    looking.observe(2, None)
    assert in_words(looking.observe(3, consumers(1))) == ["group epoch @1", "target @1"]
    assert in_words(looking.observe_offsets(3, offsets({0: (5, None)}))) == ["committed t[0] offset=5"]


def test_offsets_are_told_when_they_change() -> None:
    looking = poller()
    first = looking.observe_offsets(1, offsets({0: (5, 9), 1: (None, 3), 2: (4, None)}))
    assert in_words(first) == ["committed t[0] offset=5", "committed t[2] offset=4", "lag t[0] offset=5 end=9"]
    assert looking.observe_offsets(2, offsets({0: (5, 9), 1: (None, 4), 2: (4, None)})) == []
    assert in_words(looking.observe_offsets(3, offsets({0: (5, 10), 1: (0, 4), 2: (3, 4)}))) == [
        "committed t[1] offset=0",
        "committed t[2] offset=3",
        "lag t[0] offset=5 end=10",
        "lag t[1] offset=0 end=4",
        "lag t[2] offset=3 end=4",
    ]


def test_a_failure_is_told_when_it_begins_or_changes() -> None:
    looking = poller()
    away, refused = NoBrokersError("away"), BrokerError("no", code=ErrorCode.GROUP_AUTHORIZATION_FAILED)
    failures = [looking.record_failure(1, away), looking.record_failure(2, away), looking.record_failure(3, refused)]
    assert [in_words(events) for events in failures] == [
        ["error (NoBrokersError)"],
        [],
        ["error (GROUP_AUTHORIZATION_FAILED)"],
    ]
    looking.observe(4, None)
    assert in_words(looking.record_failure(5, refused)) == ["error (GROUP_AUTHORIZATION_FAILED)"]


def test_offsets_that_fail_again_and_again_are_told_once_though_the_group_is_seen() -> None:
    looking = poller()
    told = []
    for at in range(3):
        looking.observe(at, consumers(1))
        told += looking.record_failure(at, NoBrokersError("away"), "offsets")
    assert len(told) == 1


def test_the_lag_says_where_the_log_begins_and_is_told_when_that_moves() -> None:
    looking = poller()
    _, lag = looking.observe_offsets(1, offsets({0: (5, 9)}, start=0))
    assert (lag.offset, lag.start, lag.end) == (5, 0, 9)
    assert in_words(looking.observe_offsets(2, offsets({0: (5, 9)}, start=7))) == ["lag t[0] offset=5 start=7 end=9"]
