"""Bugs in groups of both protocols: their classic members, and the way from one protocol to the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve

from kafka_nextgen.bridge.extensions.offsets_topic import CODEC, MEMBER
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.consumer_protocol import encode_assignment
from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.classic import generation
from kafka_nextgen.coordinator.classic import joining as classic_joining
from kafka_nextgen.coordinator.classic.group import ClassicGroup
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.migration import classic_members, downgrade, joining, upgrade
from kafka_nextgen.coordinator.settings import MigrationPolicy
from kafka_nextgen.coordinator.topic_partitions import flatten
from kafka_nextgen.types import TopicIdPartition
from tests.simulation.mutants.planting import Garden, Mutant, Part

__all__ = ["MIGRATIONS"]


def _nothing(*args: Any, **more: Any) -> None:
    """Do nothing."""


def _says(owner: Any, name: str, value: object) -> Callable[[Garden], None]:
    """Answer always the same."""
    return lambda garden: garden.set(owner, name, lambda *args, **more: value)


# ---- classic members of a consumer group


def _asks_for_no_generation(garden: Garden) -> None:
    def around(refuse: Any) -> Any:
        def refused(group: Any, request: Any) -> ErrorCode:
            error: ErrorCode = refuse(group, evolve(request, generation=group.current(request.member_id).member_epoch))
            return error

        return refused

    garden.wrap(classic_members, "_generation_error", around)


def _asks_for_no_instance(garden: Garden) -> None:
    garden.set(joining, "instance_error", lambda group, member_id, instance_id: ErrorCode.NONE)
    garden.wrap(
        classic_members, "identity_error", lambda refuse: lambda group, member_id, _: refuse(group, member_id, None)
    )


def _gives_the_target(garden: Garden) -> None:
    def around(sync: Any) -> Any:
        def synced(draft: Draft, request: Any) -> Any:
            outcome = sync(draft, request)
            if outcome.response.error is not ErrorCode.NONE:
                return outcome
            target = draft.topics.with_names(flatten(draft.group.target(request.member_id)))
            return evolve(outcome, response=evolve(outcome.response, assignment=encode_assignment(target)))

        return synced

    garden.wrap(generation, "member_sync", around)


def _takes(owned: Callable[[frozenset[TopicIdPartition]], Any]) -> Callable[[Garden], None]:
    """Take what a classic member owns for something else."""

    def around(reconcile: Any) -> Any:
        return lambda draft, update, before, reported: reconcile(draft, update, before, owned(reported))

    return lambda garden: garden.wrap(joining, "reconcile_member", around)


def _forgets_the_former_member(garden: Garden) -> None:
    garden.set(joining, "replace_member", _nothing)


def _keeps_the_subscription(garden: Garden) -> None:
    def around(member: Any) -> Any:
        def kept(draft: Draft, request: Any, said: Any, member_id: str) -> Any:
            known = draft.group.members.get(member_id)
            after = member(draft, request, said, member_id)
            return after if known is None else evolve(after, subscribed_topics=known.subscribed_topics)

        return kept

    garden.wrap(joining, "_member", around)


def _reads_no_protocols(garden: Garden) -> None:
    """A member's tag says that it speaks the classic protocol."""
    other = evolve(MEMBER, to_value=lambda record: MEMBER.to_value(evolve(record, classic=None)))
    for table in (CODEC.by_number, CODEC.by_record):
        for key, value in list(table.items()):
            if value is MEMBER:
                garden.put(table, key, other)


# ---- from a classic group to a consumer group


def _upgrades_without_partitions(garden: Garden) -> None:
    garden.wrap(upgrade, "_read", lambda read: lambda *args: evolve(read(*args), partitions=frozenset()))


def _upgrades_all_but_the_last(garden: Garden) -> None:
    def around(write: Any) -> Any:
        return lambda draft, group, members, assignor: write(
            draft, group, members[: max(1, len(members) - 1)], assignor
        )

    garden.wrap(upgrade, "_write", around)


def _upgrades_at_an_older_epoch(garden: Garden) -> None:
    garden.wrap(
        upgrade,
        "_current",
        lambda current: lambda member, epoch: evolve(current(member, epoch), member_epoch=max(1, epoch - 1)),
    )


def _upgrades_without_a_target(garden: Garden) -> None:
    garden.set(upgrade, "to_topic_partitions", lambda partitions: {})


def _upgrades_whatever_the_policy(garden: Garden) -> None:
    def around(objection: Any) -> Any:
        both = MigrationPolicy.BIDIRECTIONAL
        return lambda group, settings: objection(group, evolve(settings, group_consumer_migration_policy=both))

    garden.wrap(upgrade, "_objection", around)


def _lets_parked_requests_wait(garden: Garden) -> None:
    def forget(draft: Draft) -> None:
        free = [evolve(member, is_new=False, join=None, sync=None) for member in draft.classic.in_order()]
        draft.group.classic = draft.classic.with_member(*free)

    garden.set(upgrade, "_send_back_to_join", forget)


# ---- and back


def _downgrades_without(what: Callable[[ClassicGroup], ClassicGroup]) -> Callable[[Garden], None]:
    def around(with_assignments: Any) -> Any:
        return lambda classic, group, topics: what(with_assignments(classic, group, topics))

    return lambda garden: garden.wrap(downgrade, "_with_assignments", around)


def _without_parts(classic: ClassicGroup) -> ClassicGroup:
    return classic.with_member(*(evolve(member, assignment=b"") for member in classic.in_order()))


def _downgrades_to_generation_1(garden: Garden) -> None:
    garden.wrap(
        downgrade,
        "_classic_group",
        lambda classic_group: lambda group, staying, generation: classic_group(group, staying, 1),
    )


def _leaves_members_behind(garden: Garden) -> None:
    """The records of the consumer group's members stay in the log."""

    def around(remove: Any) -> Any:
        def removed(draft: Draft) -> None:
            written = len(draft.records)
            remove(draft)
            draft.records[written:] = [
                each for each in draft.records[written:] if not isinstance(each, r.TargetAssignmentMemberRemoved)
            ]

        return removed

    garden.wrap(downgrade, "_write_removal", around)


_ = Part.MIGRATION

MIGRATIONS = (
    Mutant("mixed-told-nothing", _, "Never tells classic members of a consumer group to join again.",
           "They keep their partitions, and new consumers get nothing.", _says(classic_members, "_has_to_join", False)),
    Mutant("mixed-waits-untold", _, "Does not tell classic members when partitions they wait for are free.",
           "Partitions have no reader until something else rebalances the group.",
           _says(classic_members, "_waits", True)),
    Mutant("mixed-join-not-timed", _, "Does not limit the time in which classic members have to join again.",
           "A classic consumer that hangs blocks the group forever.",
           lambda garden: garden.set(classic_members, "_expect_join", _nothing)),
    Mutant("mixed-any-generation", _, "Does not check the generation of classic members of a consumer group.",
           "A consumer that was suspended goes on with partitions of others.", _asks_for_no_generation),
    Mutant("mixed-sync-tells-the-target",
           _, "Answers a SyncGroup with the target, even partitions that others still own.",
           "Two consumers process the same records.", _gives_the_target),
    Mutant("mixed-join-gives-all-up", _, "Treats a JoinGroup as a release of all its member's partitions.",
           "The next owner begins while the old one still reads.", _takes(lambda owned: frozenset())),
    Mutant("mixed-join-acknowledges-nothing", _, "Ignores the owned partitions in a JoinGroup.",
           "Classic consumers that revoked are expelled.", _takes(lambda owned: None)),
    Mutant("mixed-session-not-kept", _, "Does not restart session timers of classic members with their heartbeats.",
           "Classic consumers are expelled again and again.",
           lambda garden: garden.set(classic_members, "keep_session", _nothing)),
    Mutant("mixed-subscription-kept", _, "Keeps the first subscription of a classic member.",
           "New subscriptions are never assigned.", _keeps_the_subscription),
    Mutant("mixed-instance-not-its-own", _, "Accepts any classic member id with a known instance id.",
           "Two processes with one instance id both go on.", _asks_for_no_instance),
    Mutant("mixed-static-return-twice", _, "Keeps the former member of an instance that returns with JoinGroup.",
           "A former member holds partitions until its session expires.", _forgets_the_former_member),
    Mutant("mixed-protocols-not-written",
           _, "Writes members of the classic protocol as members of the consumer protocol.",
           "After a fail-over classic consumers are fenced.", _reads_no_protocols),
    Mutant("upgrade-forgets-partitions", _, "Upgrades a group as if its members had nothing.",
           "Two consumers process the same records.", _upgrades_without_partitions),
    Mutant("upgrade-forgets-one", _, "Upgrades a group without its last member.",
           "A rolling upgrade costs a consumer its partitions.", _upgrades_all_but_the_last),
    Mutant("upgrade-at-an-older-epoch", _, "Gives members of an upgraded group an epoch below their generation.",
           "A rolling upgrade costs all consumers their partitions.", _upgrades_at_an_older_epoch),
    Mutant("upgrade-without-target", _, "Upgrades a group without a target assignment.",
           "Partitions have no reader until the next rebalance.", _upgrades_without_a_target),
    Mutant("upgrade-whatever-the-policy", _, "Upgrades a group although the policy forbids it.",
           "An operator can't prevent the upgrade.", _upgrades_whatever_the_policy),
    Mutant("upgrade-leaves-waiting", _, "Leaves parked JoinGroups and SyncGroups without an answer at an upgrade.",
           "A rolling upgrade stops consumers for a request timeout.", _lets_parked_requests_wait),
    Mutant("upgrade-without-sessions", _, "Starts no session timers at an upgrade.",
           "A consumer that crashes around an upgrade holds its partitions forever.",
           lambda garden: garden.set(upgrade, "keep_session", _nothing)),
    Mutant("downgrade-without-parts", _, "Downgrades a group as if its members had nothing.",
           "Partitions have no reader after a rolling downgrade.", _downgrades_without(_without_parts)),
    Mutant("downgrade-without-rebalance", _, "Does not rebalance a group that is downgraded.",
           "Partitions of the last consumers of the new protocol have no reader.",
           lambda garden: garden.set(downgrade, "prepare_rebalance", _nothing)),
    Mutant("downgrade-to-generation-1", _, "Starts a downgraded group at generation 1.",
           "A rolling downgrade costs all consumers their partitions.", _downgrades_to_generation_1),
    Mutant("downgrade-leaves-targets", _, "Leaves target assignments in the log when a group is downgraded.",
           "After the next upgrade former members have targets.", _leaves_members_behind),
    Mutant("empty-group-not-cleared", _, "Creates a classic group without clearing an empty consumer group.",
           "After a fail-over the group has two protocols.",
           lambda garden: garden.set(classic_joining, "write_group_removal", _nothing)),
)  # fmt: skip
