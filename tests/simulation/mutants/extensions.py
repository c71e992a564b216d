"""Bugs around assignors of the members' own (KIP-848, "Client Side Mode"): who computes, and what is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import evolve

from kafka_nextgen.bridge.extensions.offsets_topic import CODEC, MEMBER, TARGET
from kafka_nextgen.bridge.offsets_topic.kinds import RecordKind
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.extensions import assigning, assignor_selection, computing, hooks
from kafka_nextgen.coordinator.extensions.hooks import Extensions
from kafka_nextgen.coordinator.extensions.state import COMPUTING
from kafka_nextgen.coordinator.timers import TimerKind
from kafka_nextgen.membership.assigning import computing as member_computing
from kafka_nextgen.membership.classic import computing as classic_computing
from tests.simulation.mutants.planting import Garden, Mutant, Part

__all__ = ["EXTENSIONS"]


def _nothing(*args: Any, **more: Any) -> None:
    """Do nothing."""


def _does_nothing(name: str, *owners: Any) -> Callable[[Garden], None]:
    def plant(garden: Garden) -> None:
        for owner in owners:
            garden.set(owner, name, _nothing)

    return plant


def _does_nothing_at(hook: str) -> Callable[[Garden], None]:
    return lambda garden: garden.set(Extensions, hook, staticmethod(_nothing))


def _written_as(kind: RecordKind, other: RecordKind) -> Callable[[Garden], None]:
    def plant(garden: Garden) -> None:
        for table in (CODEC.by_number, CODEC.by_record):
            for key, value in list(table.items()):
                if value is kind:
                    garden.put(table, key, other)

    return plant


# ---- the coordinator's


def _waits_for_ever(garden: Garden) -> None:
    garden.put(hooks.RING, TimerKind.COMPUTE, lambda draft: draft.cancel(TimerKind.COMPUTE))


def _asks_who_failed(garden: Garden) -> None:
    def may_compute(draft: Draft, state: Any, member_id: str) -> bool:
        return state.assignor in {each.name for each in draft.group.members[member_id].client_assignors}

    garden.set(computing, "_may_compute", may_compute)


def _asks_whoever_comes(garden: Garden) -> None:
    garden.set(computing, "_may_compute", lambda draft, state, member_id: True)


def _lets_anybody_compute(garden: Garden) -> None:
    def around(refuse: Any) -> Any:
        def refused(draft: Draft, request: Any) -> Any:
            state = COMPUTING.of(draft.group)
            if request.member_id in draft.group.members and state.assignor is not None:
                COMPUTING.put(draft.group, evolve(state, member_id=request.member_id))
            return refuse(draft, request)

        return refused

    garden.wrap(assigning, "_refuse", around)


def _installs_for_the_latest_epoch(garden: Garden) -> None:
    def around(install: Any) -> Any:
        return lambda draft, request, prepared: install(draft, request, evolve(prepared, group_epoch=draft.group.epoch))

    garden.wrap(assigning, "_install", around)


def _leaves_old_shares(garden: Garden) -> None:
    def around(write_shares: Any) -> Any:
        return lambda draft, member_ids, given: write_shares(draft, given.keys(), given)

    garden.wrap(assigning, "write_shares", around)


def _installs_for_former_ids(garden: Garden) -> None:
    garden.set(assigning, "_holders", lambda draft, spec: {member_id: member_id for member_id in spec.members})


def _takes_what_some_have(garden: Garden) -> None:
    def common_assignor(group: Any, settings: Any) -> str | None:
        return min(assignor_selection.offers_of(group), default=None) if settings.extensions else None

    garden.set(computing, "common_assignor", common_assignor)


def _hears_a_reason_always(garden: Garden) -> None:
    garden.set(
        Extensions, "asks_for_assignment", staticmethod(lambda draft, known, request: bool(known.client_assignors))
    )


# ---- the members'


def _keeps_what_came_late(garden: Garden) -> None:
    garden.set(member_computing, "give_up_if_late", lambda state, at: (state, ()))


def _leads_on_without_syncing(garden: Garden) -> None:
    garden.set(classic_computing, "_fail", lambda state, why, at: (evolve(state, computation=None), ()))


_ = Part.EXTENSIONS

EXTENSIONS = (
    Mutant("computing-for-ever", _, "Waits forever for a member that computes.",
           "A consumer whose assignor hangs blocks the group forever.", _waits_for_ever),
    Mutant("failed-asked-again", _, "Asks a member again whose assignor has just failed.",
           "The group asks one broken assignor forever.", _asks_who_failed),
    Mutant("any-computes", _, "Asks a member without the assignor to compute.",
           "Each assignment is late by a rebalance timeout.", _asks_whoever_comes),
    Mutant("computed-by-another", _, "Accepts an assignment from a member that was not asked.",
           "The assignments of two consumers undo each other.", _lets_anybody_compute),
    Mutant("computing-not-let-go", _, "Keeps waiting for a former member to compute.",
           "After a consumer has died, no target is computed for a rebalance timeout.",
           _does_nothing_at("member_gone")),
    Mutant("computing-not-ended", _, "Asks a member again after its assignment is installed.",
           "The group rebalances endlessly.", _does_nothing("end_computation", assigning)),
    Mutant("installed-for-the-latest", _, "Treats an assignment as one for the latest group epoch.",
           "Members that joined meanwhile get nothing, and partitions of former members have no reader.",
           _installs_for_the_latest_epoch),
    Mutant("installed-beside-old-shares", _, "Keeps the targets of members that an assignment does not name.",
           "Two members are assigned the same partition.", _leaves_old_shares),
    Mutant("installed-for-former-ids", _, "Gives the target of an instance to its former member.",
           "A static member that restarts while the group computes gets nothing.", _installs_for_former_ids),
    Mutant("assignor-of-some", _, "Uses an assignor that only some members have.",
           "There may be no member to compute an assignment.", _takes_what_some_have),
    Mutant("reason-always", _, "Treats each heartbeat as a request for another assignment.",
           "The group rebalances endlessly.", _hears_a_reason_always),
    Mutant("assignors-miscounted", _, "Does not count the members that have each assignor.",
           "The group never uses its consumers' assignors.", _does_nothing_at("count_member")),
    Mutant("assignors-not-written", _, "Writes members without their assignors.",
           "After a fail-over the coordinator computes assignments itself.", _written_as(
               MEMBER, evolve(MEMBER, to_value=lambda record: MEMBER.to_value(evolve(record, client_assignors=()))))),
    Mutant("target-assignor-not-written", _, "Writes target assignments without their assignor.",
           "After a fail-over on_assignment is not called.", _written_as(
               TARGET, evolve(TARGET, to_value=lambda record: TARGET.to_value(evolve(record, assignor=None))))),
    Mutant("late-result-kept", _, "Keeps computing after its time limit.",
           "It never computes again, since it waits for the coordinator that asked.", _keeps_what_came_late),
    Mutant("classic-leader-waits", _, "Sends no SyncGroup when the leader's assignor failed.",
           "An assignor that raises stops the group.", _leads_on_without_syncing),
)  # fmt: skip
