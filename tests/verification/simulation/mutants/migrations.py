"""Bugs in groups of both protocols: their classic members, and the way from one protocol to the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.consumer_protocol import encode_assignment
from kafka_nextgen.groups.topic_partitions import flatten
from kafka_nextgen.offsets_topic.extensions import MEMBER
from kafka_nextgen.testing.coordinator.classic import generation
from kafka_nextgen.testing.coordinator.classic import joining as classic_joining
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.migration import classic_members, downgrade, joining, upgrade
from kafka_nextgen.testing.coordinator.settings import MigrationPolicy
from kafka_nextgen.types import TopicIdPartition
from tests.verification.simulation.mutants.planting import Garden, Plant, nothing


def _says(owner: Any, name: str, value: object) -> Plant:
    return lambda garden: garden.set(owner, name, lambda *args, **more: value)


def _asks_for_no_instance(garden: Garden) -> None:
    garden.set(joining, "instance_error", lambda group, member_id, instance_id: ErrorCode.NONE)
    garden.wrap(classic_members, "identity_error", lambda refuse, group, member_id, _: refuse(group, member_id, None))


def _gives_the_target(garden: Garden) -> None:
    def instead(sync: Any, draft: Draft, request: Any) -> Any:
        outcome = sync(draft, request)
        if outcome.response.error is not ErrorCode.NONE:
            return outcome
        target = draft.topics.with_names(flatten(draft.group.target(request.member_id)))
        return evolve(outcome, response=evolve(outcome.response, assignment=encode_assignment(target)))

    garden.wrap(generation, "member_sync", instead)


def _takes(owned: Callable[[frozenset[TopicIdPartition]], Any]) -> Plant:
    """Take what a classic member owns for something else."""

    def instead(reconcile: Any, draft: Any, update: Any, before: Any, reported: Any) -> Any:
        return reconcile(draft, update, before, owned(reported))

    return lambda garden: garden.wrap(joining, "reconcile_member", instead)


def _keeps_the_subscription(garden: Garden) -> None:
    def instead(member: Any, draft: Draft, request: Any, said: Any, member_id: str) -> Any:
        known = draft.group.members.get(member_id)
        after = member(draft, request, said, member_id)
        return after if known is None else evolve(after, subscribed_topics=known.subscribed_topics)

    garden.wrap(joining, "_member", instead)


def _lets_parked_requests_wait(garden: Garden) -> None:
    def forget(draft: Draft) -> None:
        free = [evolve(member, is_new=False, join=None, sync=None) for member in draft.classic.in_order()]
        draft.group.classic = draft.classic.with_member(*free)

    garden.set(upgrade, "_send_back_to_join", forget)


def _downgrades_without_parts(garden: Garden) -> None:
    def instead(with_assignments: Any, *args: Any) -> ClassicGroup:
        classic: ClassicGroup = with_assignments(*args)
        return classic.with_member(*(evolve(member, assignment=b"") for member in classic.in_order()))

    garden.wrap(downgrade, "_with_assignments", instead)


def _leaves_members_behind(garden: Garden) -> None:
    """The records of the consumer group's members stay in the log."""

    def instead(remove: Any, draft: Draft) -> None:
        written = len(draft.records)
        remove(draft)
        draft.records[written:] = [
            each for each in draft.records[written:] if not isinstance(each, r.TargetAssignmentMemberRemoved)
        ]

    garden.wrap(downgrade, "_write_removal", instead)


MIGRATIONS: Mapping[str, Plant] = {
    "mixed-told-nothing": _says(classic_members, "_has_to_join", False),
    "mixed-waits-untold": _says(classic_members, "_waits", True),
    "mixed-join-not-timed": lambda garden: garden.set(classic_members, "_expect_join", nothing),
    "mixed-any-generation": lambda garden: garden.wrap(
        classic_members,
        "_generation_error",
        lambda refuse, group, request: refuse(
            group, evolve(request, generation=group.current(request.member_id).member_epoch)
        ),
    ),
    "mixed-sync-tells-the-target": _gives_the_target,
    "mixed-join-gives-all-up": _takes(lambda owned: frozenset()),
    "mixed-join-acknowledges-nothing": _takes(lambda owned: None),
    "mixed-session-not-kept": lambda garden: garden.set(classic_members, "keep_session", nothing),
    "mixed-subscription-kept": _keeps_the_subscription,
    "mixed-instance-not-its-own": _asks_for_no_instance,
    "mixed-static-return-twice": lambda garden: garden.set(joining, "replace_member", nothing),
    "mixed-protocols-not-written": lambda garden: garden.put_kind(
        MEMBER, to_value=lambda record: MEMBER.to_value(evolve(record, classic=None))
    ),
    "upgrade-forgets-partitions": lambda garden: garden.wrap(
        upgrade, "_read", lambda read, *args: evolve(read(*args), partitions=frozenset())
    ),
    "upgrade-forgets-one": lambda garden: garden.wrap(
        upgrade,
        "_write",
        lambda write, draft, group, members, assignor: write(
            draft, group, members[: max(1, len(members) - 1)], assignor
        ),
    ),
    "upgrade-at-an-older-epoch": lambda garden: garden.wrap(
        upgrade,
        "_current",
        lambda current, member, epoch: evolve(current(member, epoch), member_epoch=max(1, epoch - 1)),
    ),
    "upgrade-without-target": lambda garden: garden.set(upgrade, "to_topic_partitions", lambda partitions: {}),
    "upgrade-whatever-the-policy": lambda garden: garden.wrap(
        upgrade,
        "_objection",
        lambda objection, group, settings: objection(
            group, evolve(settings, group_consumer_migration_policy=MigrationPolicy.BIDIRECTIONAL)
        ),
    ),
    "upgrade-leaves-waiting": _lets_parked_requests_wait,
    "upgrade-without-sessions": lambda garden: garden.set(upgrade, "keep_session", nothing),
    "downgrade-without-parts": _downgrades_without_parts,
    "downgrade-without-rebalance": lambda garden: garden.set(downgrade, "prepare_rebalance", nothing),
    "downgrade-to-generation-1": lambda garden: garden.wrap(
        downgrade, "_classic_group", lambda classic_group, group, staying, generation: classic_group(group, staying, 1)
    ),
    "downgrade-leaves-targets": _leaves_members_behind,
    "empty-group-not-cleared": lambda garden: garden.set(classic_joining, "write_group_removal", nothing),
}
