"""Bugs around what no release of Kafka has: assignors of the members' own (KIP-848, "Client Side Mode"), who computes
and what is installed; standbys (``group.target.size``), who becomes active when, and what it gets; and members that are
announced to leave, and when others take over from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.groups.records import TargetAssignmentMember
from kafka_nextgen.membership.assigning import computing as member_computing
from kafka_nextgen.membership.classic import computing as classic_computing
from kafka_nextgen.offsets_topic.extensions import MEMBER, STANDBY_MEMBERS, TARGET
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions import (
    assigning,
    assignor_selection,
    computing,
    hooks,
    standby_changes,
    standbys,
)
from kafka_nextgen.testing.coordinator.extensions.hooks import Extensions
from kafka_nextgen.testing.coordinator.extensions.leaving import taking_over
from kafka_nextgen.testing.coordinator.extensions.registration import waiting
from kafka_nextgen.testing.coordinator.extensions.state import COMPUTING, LOADING
from kafka_nextgen.testing.coordinator.timers import TimerKind
from kafka_nextgen.types import StandbyState
from tests.verification.simulation.mutants.planting import Garden, Plant, nothing


def _lets_anybody_compute(garden: Garden) -> None:
    def instead(refuse: Any, draft: Draft, request: Any) -> Any:
        state = COMPUTING.of(draft.group)
        if request.member_id in draft.group.members and state.assignor is not None:
            COMPUTING.put(draft.group, evolve(state, member_id=request.member_id))
        return refuse(draft, request)

    garden.wrap(assigning, "_refuse", instead)


EXTENSIONS: Mapping[str, Plant] = {
    "computing-for-ever": lambda garden: garden.put(
        hooks.RING, TimerKind.COMPUTE, lambda draft: draft.cancel(TimerKind.COMPUTE)
    ),
    "failed-asked-again": lambda garden: garden.set(
        computing,
        "_may_compute",
        lambda draft, state, member_id: (
            state.assignor in {each.name for each in draft.group.members[member_id].client_assignors}
        ),
    ),
    "any-computes": lambda garden: garden.set(computing, "_may_compute", lambda draft, state, member_id: True),
    "computed-by-another": _lets_anybody_compute,
    "computing-not-let-go": lambda garden: garden.set(Extensions, "member_gone", staticmethod(nothing)),
    "computing-not-ended": lambda garden: garden.set(assigning, "end_computation", nothing),
    "installed-for-the-latest": lambda garden: garden.wrap(
        assigning,
        "_install",
        lambda install, draft, request, prepared: install(
            draft, request, evolve(prepared, group_epoch=draft.group.epoch)
        ),
    ),
    "installed-beside-old-shares": lambda garden: garden.wrap(
        assigning,
        "write_shares",
        lambda write_shares, draft, member_ids, given: write_shares(draft, given.keys(), given),
    ),
    "installed-for-former-ids": lambda garden: garden.set(
        assigning, "_holders", lambda draft, spec: {member_id: member_id for member_id in spec.members}
    ),
    "assignor-of-some": lambda garden: garden.set(
        computing,
        "common_assignor",
        lambda group, settings: min(assignor_selection.offers_of(group), default=None) if settings.extensions else None,
    ),
    "reason-always": lambda garden: garden.set(
        Extensions, "asks_for_assignment", staticmethod(lambda draft, known, request: bool(known.client_assignors))
    ),
    "assignors-miscounted": lambda garden: garden.set(Extensions, "count_member", staticmethod(nothing)),
    "assignors-not-written": lambda garden: garden.put_kind(
        MEMBER, to_value=lambda record: MEMBER.to_value(evolve(record, client_assignors=()))
    ),
    "target-assignor-not-written": lambda garden: garden.put_kind(
        TARGET, to_value=lambda record: TARGET.to_value(evolve(record, assignor=None))
    ),
    "late-result-kept": lambda garden: garden.set(member_computing, "give_up_if_late", lambda state, at: (state, ())),
    "classic-leader-waits": lambda garden: garden.set(
        classic_computing, "_fail", lambda state, why, at: (evolve(state, computation=None), ())
    ),
}


def _takes_over_with_all(garden: Garden) -> None:
    def give_target(draft: Any, swap: Any) -> None:
        group = draft.group
        target, metadata = group.target(swap.predecessor), group.target_metadata.get(swap.predecessor)
        draft.write(TargetAssignmentMember(group.group_id, swap.successor, target, metadata))

    garden.set(standbys, "_give_target", give_target)


def _if_loading(member_id: str, stated: StandbyState) -> frozenset[str]:
    return frozenset({member_id} if stated is StandbyState.LOADING else ())


STANDBYS: Mapping[str, Plant] = {
    "standby-gets-nothing": lambda garden: garden.set(standbys, "_give_target", lambda draft, swap: None),
    "standby-gets-all": _takes_over_with_all,
    "standby-repeats-target": lambda garden: garden.set(standbys, "_is_target_up_to_date", lambda draft: True),
    "standby-keeps-target": lambda garden: garden.set(standbys, "clear_targets", lambda draft: None),
    "standby-not-for-absent": lambda garden: garden.set(
        Extensions, "member_absent", staticmethod(lambda draft, member: None)
    ),
    "standby-absent-active": lambda garden: garden.set(standby_changes, "is_away", lambda group, member_id: False),
    "standby-size-unnoticed": lambda garden: garden.set(
        Extensions, "settle", lambda self, draft: waiting.settle(draft)
    ),
    "standby-instance-forgotten": lambda garden: garden.set(
        Extensions, "instance_came_back", staticmethod(lambda draft, former_id, member_id: None)
    ),
    "standby-loading-chosen": lambda garden: garden.wrap(
        standby_changes,
        "takeover_order",
        lambda takeover_order, group, queue, loading: takeover_order(group, queue, ()),
    ),
    "standby-stays-loading": lambda garden: garden.set(
        standbys, "_loading_with", lambda group, member_id, stated: LOADING.of(group) | _if_loading(member_id, stated)
    ),
    "standby-loading-not-written": lambda garden: garden.put_kind(
        STANDBY_MEMBERS, to_value=lambda record: STANDBY_MEMBERS.to_value(evolve(record, loading=()))
    ),
}

LEAVING: Mapping[str, Plant] = {
    "leaving-costs-one-each": lambda garden: garden.set(taking_over, "defer", lambda draft, members, cause: cause),
    "leaving-for-ever": lambda garden: garden.put(
        hooks.RING, TimerKind.LEAVING, lambda draft: draft.cancel(TimerKind.LEAVING)
    ),
    "leaving-forgotten": lambda garden: garden.set(taking_over, "take_over", nothing),
}
