"""What the checkers of classic clients say, rule by rule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import MemberSubscription
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership.classic import effects as cfx
from kafka_nextgen.membership.classic import events as cev
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.settings import MigrationPolicy
from kafka_nextgen.types import TopicPartition
from tests.verification.simulation.checking.classic_members import ClassicWatch, Generations, Refusals, two_readers
from tests.verification.simulation.checking.judged_client import FOO, client

TP0, TP1 = TopicPartition("foo", 0), TopicPartition("foo", 1)
BOTH = frozenset({TP0, TP1})


def join(number: int, owned: frozenset[TopicPartition] = frozenset()) -> cfx.SendJoinGroup:
    said = MemberSubscription(frozenset({"foo"}), owned)
    return cfx.SendJoinGroup(number, "A-1", None, 12_000, 15_000, (), said, "", 20.0)


def sync(number: int, generation: int, member_id: str = "A-1", instance: str | None = None) -> cfx.SendSyncGroup:
    return cfx.SendSyncGroup(number, member_id, instance, generation, "range", 20.0)


def beat(number: int) -> cfx.SendClassicHeartbeat:
    return cfx.SendClassicHeartbeat(number, "A-1", None, 3)


def joined(number: int, generation: int) -> cev.JoinAnswered:
    return cev.JoinAnswered(number, "A-1", generation, "consumer", "range", "A-1")


def told(number: int, *partitions: TopicPartition) -> cev.SyncAnswered:
    return cev.SyncAnswered(number, "consumer", "range", frozenset(partitions))


Step = object | tuple[object, object]


@pytest.mark.parametrize(
    ("steps", "broken"),
    [
        ([beat(1), beat(2)], "one heartbeat is in flight"),
        ([beat(1), fx.FindCoordinator(), beat(2)], None),
        ([beat(1), (beat(1), cev.SessionKept(1)), beat(2)], None),
        ([join(1, BOTH)], "nothing is reported that the application does not have"),
        ([sync(2, 3)], "a SyncGroup follows a JoinGroup that was answered"),
        ([join(1), (join(1), joined(1, 3)), sync(2, 3)], None),
        ([join(1), (join(1), joined(1, 3)), sync(2, 4)], "a SyncGroup follows a JoinGroup that was answered"),
        ([(sync(2, 3), told(2)), join(3), (join(3), joined(3, 2))], "generation 2 comes after 3"),
        (
            [fx.RaiseToApplication(ErrorCode.INVALID_REQUEST, "no", fatal=True), beat(1)],
            "nothing is sent after a fatal",
        ),
        ([fx.CallOnRevoked(1, ())], None),
    ],
)
def test_rules_of_a_client(steps: Sequence[Step], broken: str | None) -> None:
    watch = ClassicWatch(client=client())
    for step in steps:
        if isinstance(step, tuple):
            watch.heard(*step)
        else:
            watch.sees(step)
    assert (not watch.broken) if broken is None else any(broken in rule for rule in watch.broken)


def test_a_generation_gives_a_partition_to_one_member() -> None:
    generations = Generations()
    one, other = client("A"), client("B")
    assert list(generations.heard(one, sync(1, 3, "A-1"), told(1, TP0))) == []
    assert list(generations.heard(other, sync(1, 3, "B-1"), told(1, TP1))) == []
    assert list(generations.heard(other, sync(1, 4, "B-1"), told(1, TP0))) == []
    assert len(list(generations.heard(other, sync(1, 3, "B-1"), told(1, TP0)))) == 1


def test_an_instance_has_the_same_by_another_id_and_an_empty_group_begins_again() -> None:
    generations = Generations()
    one = client("A", instance_id="one")
    assert list(generations.heard(one, sync(1, 3, "A-1", "one"), told(1, TP0))) == []
    assert list(generations.heard(one, sync(1, 3, "A-2", "one"), told(1, TP0))) == []
    generations.wanted(one, sync(1, 3, "A-2", "one"))
    generations.begin_again()
    assert list(generations.heard(one, sync(1, 3, "A-2", "one"), told(1, TP0))) == [], "it had slept"
    generations.wanted(one, sync(1, 3, "B-1"))
    assert list(generations.heard(one, sync(1, 3, "B-1"), told(1, TP0))) == []


def member(member_id: str) -> ClassicMember:
    return ClassicMember(member_id, None, member_id, "host", 15_000, 12_000, ())


def classic_group(*member_ids: str) -> Group:
    group = Group("g", 1)
    status = ClassicStatus.STABLE if member_ids else ClassicStatus.EMPTY
    group.classic = ClassicGroup("g", status, 3).with_member(*map(member, member_ids))
    return group


@pytest.mark.parametrize(("generations", "found"), [((3, 3), 1), ((3, 2), 0)])
def test_two_readers_of_one_generation(generations: tuple[int, int], found: int) -> None:
    clients, watches = [client("A"), client("B")], {}
    for each, generation in zip(clients, generations, strict=True):
        state = each.member.state
        each.member.state = type(state)(member_id=f"{each.name}-1")
        watches[each.name] = ClassicWatch(client=each, applied=frozenset({TP0}), published_epoch=generation)
    assert len(list(two_readers(clients, watches, classic_group("A-1", "B-1"), {FOO: "foo"}))) == found


@pytest.mark.parametrize(
    ("policy", "members", "code", "kept_out"),
    [
        (MigrationPolicy.DOWNGRADE, ("B-1",), ErrorCode.GROUP_ID_NOT_FOUND, {"A"}),
        (MigrationPolicy.DISABLED, ("B-1",), ErrorCode.GROUP_ID_NOT_FOUND, {"A"}),
        (MigrationPolicy.UPGRADE, ("B-1",), ErrorCode.GROUP_ID_NOT_FOUND, set()),
        (MigrationPolicy.DISABLED, (), ErrorCode.GROUP_ID_NOT_FOUND, set()),
        (MigrationPolicy.DISABLED, ("B-1",), ErrorCode.UNKNOWN_SERVER_ERROR, set()),
    ],
)
def test_who_is_kept_out_by_the_policy(
    policy: MigrationPolicy, members: tuple[str, ...], code: ErrorCode, kept_out: set[str]
) -> None:
    refusals = Refusals()
    refusals.wanted(client("A/2"), fx.RaiseToApplication(code, "no", fatal=True))
    assert refusals.by_policy(classic_group(*members), policy) == kept_out
    refusals.wanted(client("A/3"), fx.PublishEpoch("A-1", 4))
    assert refusals.by_policy(classic_group(*members), policy) == set()
