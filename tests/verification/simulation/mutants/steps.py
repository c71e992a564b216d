"""Bugs in how a coordinator admits its members and moves them on: fencing, reconciliation, answers, the target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.records import MemberStatus
from kafka_nextgen.testing.coordinator import admission, coordinator, heartbeat, reconciliation, target, topics
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.timers import Arm, TimerKey, TimerKind
from kafka_nextgen.types import RebalanceReason
from tests.verification.simulation.mutants.planting import Garden, Plant


def _without_rule(name: str) -> Any:
    """Leave a rule of admission out of both tables."""

    def plant(garden: Garden) -> None:
        rule = getattr(admission, name)
        garden.set(admission, "_ENTRY", tuple(each for each in admission._ENTRY if each is not rule))
        garden.set(admission, "_LEAVE", tuple(each for each in admission._LEAVE if each is not rule))

    return plant


def _grants_at_the_oldest_epoch(garden: Garden) -> None:
    def instead(advance: Any, current: Any, course: Any) -> Any:
        after = advance(current, course)
        return evolve(after, assigned=tuple((partition, 0) for partition, _ in after.assigned))

    garden.wrap(reconciliation, "_advance", instead)


def _keeps_no_session(garden: Garden) -> None:
    def instead(arm: Any, draft: Draft, kind: TimerKind, *more: Any) -> None:
        if kind is TimerKind.SESSION:
            draft.arm_unless_running(kind, *more[:2])
        else:
            arm(draft, kind, *more)

    garden.wrap(Draft, "arm", instead)


def _keeps_sessions_of_those_refused(garden: Garden) -> None:
    def instead(heartbeat: Any, draft: Draft, request: ConsumerGroupHeartbeat) -> Outcome:
        is_member = request.member_id in draft.group.members
        outcome: Outcome = heartbeat(draft, request)
        answer = outcome.response
        if not isinstance(answer, ConsumerGroupHeartbeatAnswer) or answer.error is ErrorCode.NONE or not is_member:
            return outcome
        key = TimerKey(request.group_id, TimerKind.SESSION, request.member_id)
        return evolve(outcome, timers=(Arm(key, draft.now + draft.settings.session_timeout_s),))

    garden.wrap_entry(coordinator._ON_ONE_GROUP, ConsumerGroupHeartbeat, instead)


def _bumps_with_every_full_heartbeat(garden: Garden) -> None:
    def instead(update_member: Any, draft: Draft, request: ConsumerGroupHeartbeat) -> Any:
        update = update_member(draft, request)
        return evolve(update, calls_for_assignment=True) if request.subscribed_topics is not None else update

    garden.wrap(heartbeat, "update_member", instead)


def _writes_no_target_epoch_first(garden: Garden) -> None:
    """A member that is new to the target counts only from the second target on."""

    def instead(write_shares: Any, draft: Draft, member_ids: Any, given: Any) -> None:
        known = dict(draft.group.targets.items())
        write_shares(draft, [each for each in member_ids if each in known or not known], given)

    garden.wrap(target, "write_shares", instead)


STEPS: Mapping[str, Plant] = {
    "grants-what-is-taken": lambda garden: garden.set(
        reconciliation, "_is_free", lambda partition, member_id, course: True
    ),
    "waits-for-no-acknowledgement": lambda garden: garden.set(
        reconciliation.ReconciliationInput, "shows_gone", lambda course, partitions: True
    ),
    "silence-acknowledges": lambda garden: garden.wrap(
        reconciliation.ReconciliationInput,
        "shows_gone",
        lambda shows, course, partitions: course.owned is None or shows(course, partitions),
    ),
    "epoch-moves-while-revoking": lambda garden: garden.set(
        reconciliation, "_epoch_while_revoking", lambda current, course: course.target_epoch
    ),
    "unreleased-is-stable": lambda garden: garden.wrap(
        reconciliation, "_result", lambda result, *args, waits: result(*args, waits=waits and bool(args[3]))
    ),
    "no-trimming": lambda garden: garden.set(reconciliation, "_trim", lambda current, course: current),
    "granted-at-epoch-0": _grants_at_the_oldest_epoch,
    "lost-answer-fences": lambda garden: garden.set(
        admission, "_missed_the_last_answer", lambda request, current: False
    ),
    "any-epoch": lambda garden: garden.set(admission, "_is_at_its_epoch", lambda request, current, settings: True),
    "instance-not-its-own": _without_rule("_instance_must_be_its_own"),
    "instance-not-free": _without_rule("_instance_must_be_free"),
    "member-not-known": _without_rule("_member_must_be_known"),
    "no-room-asked-for": _without_rule("_group_must_have_room"),
    "full-not-answered": lambda garden: garden.set(heartbeat, "_is_full", lambda request: False),
    "tells-what-is-revoked": lambda garden: garden.set(
        heartbeat,
        "_partitions",
        lambda current: frozenset(each for each, _ in current.assigned + current.pending_revocation),
    ),
    "answers-the-group-epoch": lambda garden: garden.wrap(
        heartbeat, "_answer", lambda answer, draft, *args: evolve(answer(draft, *args), member_epoch=draft.group.epoch)
    ),
    "session-not-kept": _keeps_no_session,
    "session-kept-for-refused": _keeps_sessions_of_those_refused,
    "bumps-always": lambda garden: garden.set(
        heartbeat, "cause_of_change", lambda *args, **more: Cause(RebalanceReason.MEMBER_JOINED, "")
    ),
    "bumps-when-full": _bumps_with_every_full_heartbeat,
    "revocation-not-timed": lambda garden: garden.set(
        reconciliation, "_watch_revocation", lambda draft, update, after: None
    ),
    "revocation-timer-stays": lambda garden: garden.wrap(
        reconciliation,
        "_watch_revocation",
        lambda watch, draft, update, after: (
            after.status is MemberStatus.UNREVOKED_PARTITIONS and watch(draft, update, after)
        ),
    ),
    "one-target": lambda garden: garden.wrap(
        target, "_is_due", lambda is_due, draft: draft.group.assignment_timestamp_ms == 0 and is_due(draft)
    ),
    "forgets-who-gets-nothing": lambda garden: garden.wrap(
        target,
        "_touched",
        lambda touched, draft, spec, given: [
            each for each in touched(draft, spec, given) if given.members[each].partitions
        ],
    ),
    "new-members-get-nothing": _writes_no_target_epoch_first,
    "growth-not-seen": lambda garden: garden.set(topics, "_digest", lambda topic: topic.topic_id.bytes),
    "new-id-not-seen": lambda garden: garden.set(
        topics, "_digest", lambda topic: f"{topic.name}/{topic.num_partitions}".encode()
    ),
}
