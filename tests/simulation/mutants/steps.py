"""Bugs in how a coordinator admits its members and moves them on: fencing, reconciliation, answers, the target."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator import admission, coordinator, heartbeat, reconciliation, target, topics
from kafka_nextgen.coordinator.cause import Cause
from kafka_nextgen.coordinator.draft import Draft, Outcome
from kafka_nextgen.coordinator.records import MemberStatus
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.coordinator.timers import Arm, TimerKey, TimerKind
from kafka_nextgen.types import RebalanceReason
from tests.simulation.mutants.planting import Garden, Mutant, Part

__all__ = ["STEPS"]


def _without_rule(name: str) -> Any:
    """Leave a rule of admission out of both tables."""

    def plant(garden: Garden) -> None:
        rule = getattr(admission, name)
        garden.set(admission, "_ENTRY", tuple(each for each in admission._ENTRY if each is not rule))
        garden.set(admission, "_LEAVE", tuple(each for each in admission._LEAVE if each is not rule))

    return plant


def _grants_what_is_taken(garden: Garden) -> None:
    garden.set(reconciliation, "_is_free", lambda partition, member_id, course: True)


def _waits_for_no_acknowledgement(garden: Garden) -> None:
    garden.set(reconciliation.ReconciliationInput, "shows_gone", lambda course, partitions: True)


def _takes_silence_for_an_acknowledgement(garden: Garden) -> None:
    garden.wrap(
        reconciliation.ReconciliationInput,
        "shows_gone",
        lambda shows: lambda course, partitions: course.owned is None or shows(course, partitions),
    )


def _advances_the_epoch_while_revoking(garden: Garden) -> None:
    garden.set(reconciliation, "_epoch_while_revoking", lambda current, course: course.target_epoch)


def _forgets_those_that_wait(garden: Garden) -> None:
    """UNRELEASED is told as STABLE."""
    garden.wrap(
        reconciliation,
        "_result",
        lambda result: lambda *args, waits: result(*args, waits=waits and bool(args[3])),
    )


def _does_not_trim(garden: Garden) -> None:
    garden.set(reconciliation, "_trim", lambda current, course: current)


def _grants_at_the_oldest_epoch(garden: Garden) -> None:
    def around(advance: Any) -> Any:
        def advanced(current: Any, course: Any) -> Any:
            after = advance(current, course)
            return evolve(after, assigned=tuple((partition, 0) for partition, _ in after.assigned))

        return advanced

    garden.wrap(reconciliation, "_advance", around)


def _fences_who_missed_an_answer(garden: Garden) -> None:
    garden.set(admission, "_missed_the_last_answer", lambda request, current: False)


def _asks_for_no_epoch(garden: Garden) -> None:
    garden.set(admission, "_is_at_its_epoch", lambda request, current, settings: True)


def _answers_only_what_changed(garden: Garden) -> None:
    garden.set(heartbeat, "_is_full", lambda request: False)


def _tells_what_is_to_be_revoked(garden: Garden) -> None:
    garden.set(
        heartbeat,
        "_partitions",
        lambda current: frozenset(each for each, _ in current.assigned + current.pending_revocation),
    )


def _answers_with_the_group_epoch(garden: Garden) -> None:
    def around(answer: Any) -> Any:
        def answered(draft: Draft, *args: Any) -> Any:
            return evolve(answer(draft, *args), member_epoch=draft.group.epoch)

        return answered

    garden.wrap(heartbeat, "_answer", around)


def _keeps_no_session(garden: Garden) -> None:
    def around(arm: Any) -> Any:
        def armed(draft: Draft, kind: TimerKind, member_id: str, delay_s: float, member_epoch: int = -1) -> None:
            if kind is TimerKind.SESSION:
                draft.arm_unless_running(kind, member_id, delay_s)
            else:
                arm(draft, kind, member_id, delay_s, member_epoch)

        return armed

    garden.wrap(Draft, "arm", around)


def _keeps_sessions_of_those_refused(garden: Garden) -> None:
    def handle(draft: Draft, request: ConsumerGroupHeartbeat) -> Outcome:
        is_member = request.member_id in draft.group.members
        outcome = heartbeat.heartbeat(draft, request)
        answer = outcome.response
        if not isinstance(answer, ConsumerGroupHeartbeatAnswer) or answer.error is ErrorCode.NONE or not is_member:
            return outcome
        key = TimerKey(request.group_id, TimerKind.SESSION, request.member_id)
        return evolve(outcome, timers=(Arm(key, draft.now + draft.settings.session_timeout_s),))

    garden.put(coordinator._ON_ONE_GROUP, ConsumerGroupHeartbeat, handle)


def _bumps_with_every_heartbeat(garden: Garden) -> None:
    cause = Cause(RebalanceReason.MEMBER_JOINED, "")
    garden.set(heartbeat, "cause_of_change", lambda *args, **more: cause)


def _bumps_with_every_full_heartbeat(garden: Garden) -> None:
    def around(update_member: Any) -> Any:
        def updated(draft: Draft, request: ConsumerGroupHeartbeat) -> Any:
            update = update_member(draft, request)
            return evolve(update, calls_for_assignment=True) if request.subscribed_topics is not None else update

        return updated

    garden.wrap(heartbeat, "update_member", around)


def _times_no_revocation(garden: Garden) -> None:
    garden.set(reconciliation, "_watch_revocation", lambda draft, update, after: None)


def _times_revocations_that_are_done(garden: Garden) -> None:
    def around(watch: Any) -> Any:
        return lambda draft, update, after: (
            watch(draft, update, after) if after.status is MemberStatus.UNREVOKED_PARTITIONS else None
        )

    garden.wrap(reconciliation, "_watch_revocation", around)


def _makes_one_target_only(garden: Garden) -> None:
    garden.wrap(
        target, "_is_due", lambda is_due: lambda draft: draft.group.assignment_timestamp_ms == 0 and is_due(draft)
    )


def _forgets_who_gets_nothing(garden: Garden) -> None:
    def around(touched: Any) -> Any:
        def those(draft: Any, spec: Any, assignment: Any) -> list[str]:
            return [each for each in touched(draft, spec, assignment) if assignment.members[each].partitions]

        return those

    garden.wrap(target, "_touched", around)


def _writes_no_target_epoch_first(garden: Garden) -> None:
    """A member that is new to the target counts only from the second target on."""

    def around(write_shares: Any) -> Any:
        def written(draft: Draft, member_ids: Any, given: Any) -> None:
            known = dict(draft.group.targets.items())
            write_shares(draft, [each for each in member_ids if each in known or not known], given)

        return written

    garden.wrap(target, "write_shares", around)


def _counts_no_partitions(garden: Garden) -> None:
    garden.set(topics, "_digest", lambda topic: topic.topic_id.bytes)


def _knows_topics_by_name(garden: Garden) -> None:
    garden.set(topics, "_digest", lambda topic: f"{topic.name}/{topic.num_partitions}".encode())


_ = Part.COORDINATOR

STEPS = (
    Mutant("grants-what-is-taken", _, "Grants partitions that another member still has.",
           "Two consumers process the same records.", _grants_what_is_taken),
    Mutant("waits-for-no-acknowledgement", _, "Treats partitions to be revoked as released at once.",
           "The next owner begins while the old one still reads.", _waits_for_no_acknowledgement),
    Mutant("silence-acknowledges", _, "Treats a heartbeat without partitions as an acknowledgement.",
           "The next owner begins while the old one still commits and revokes.", _takes_silence_for_an_acknowledgement),
    Mutant("epoch-moves-while-revoking", _, "Moves a member to the target epoch before it has revoked.",
           "A member counts as reconciled with open revocations; a lost answer fences its last commits.",
           _advances_the_epoch_while_revoking),
    Mutant("unreleased-is-stable", _, "Treats a member that waits for others' partitions as stable.",
           "Partitions have no reader until something else rebalances the group.", _forgets_those_that_wait),
    Mutant("no-trimming", _, "Leaves a member the partitions it has just unsubscribed from.",
           "Records of an unsubscribed topic still arrive.", _does_not_trim),
    Mutant("granted-at-epoch-0", _, "Records partitions as assigned at epoch 0.",
           "Late commits of a former owner set offsets back.", _grants_at_the_oldest_epoch),
    Mutant("lost-answer-fences", _, "Fences a member that missed the answer with its new epoch.",
           "One lost packet costs a consumer all its partitions.", _fences_who_missed_an_answer),
    Mutant("any-epoch", _, "Does not check member epochs.",
           "A member that was suspended goes on with others' partitions.", _asks_for_no_epoch),
    Mutant("instance-not-its-own", _, "Accepts any member id with a known instance id.",
           "Two processes with one instance id both go on.", _without_rule("_instance_must_be_its_own")),
    Mutant("instance-not-free", _, "Lets a join replace an instance that is alive.",
           "A process started twice takes the first one's partitions.", _without_rule("_instance_must_be_free")),
    Mutant("member-not-known", _, "Accepts heartbeats of unknown members.",
           "An expired consumer goes on reading beside the next owners.", _without_rule("_member_must_be_known")),
    Mutant("no-room-asked-for", _, "Admits more members than group.consumer.max.size.",
           "The limit does not protect the broker.", _without_rule("_group_must_have_room")),
    Mutant("full-not-answered", _, "Answers full heartbeats without an assignment.",
           "A consumer that missed an answer reads nothing until the next rebalance.", _answers_only_what_changed),
    Mutant("tells-what-is-revoked", _, "Includes the partitions to revoke in a member's assignment.",
           "Rebalances end only by expelling members.", _tells_what_is_to_be_revoked),
    Mutant("answers-the-group-epoch", _, "Answers with the group epoch instead of the member epoch.",
           "The member is fenced by its next heartbeat.", _answers_with_the_group_epoch),
    Mutant("session-not-kept", _, "Starts session timers only once.",
           "Every consumer is expelled after its first session timeout.", _keeps_no_session),
    Mutant("session-kept-for-refused", _, "Restarts the session timer for refused heartbeats.",
           "A refused member keeps its partitions forever.", _keeps_sessions_of_those_refused),
    Mutant("bumps-always", _, "Bumps the group epoch with every heartbeat.",
           "The group rebalances endlessly.", _bumps_with_every_heartbeat),
    Mutant("bumps-when-full", _, "Bumps the group epoch with every full heartbeat.",
           "Each lost packet costs the group a rebalance.", _bumps_with_every_full_heartbeat),
    Mutant("revocation-not-timed", _, "Starts no rebalance timers.",
           "A consumer that hangs in its callback blocks the group forever.", _times_no_revocation),
    Mutant("revocation-timer-stays", _, "Keeps the rebalance timer running after a member has revoked.",
           "Members that revoked in time may be expelled.", _times_revocations_that_are_done),
    Mutant("one-target", _, "Computes only the first target assignment.",
           "Later members get nothing, and partitions of former members have no reader.", _makes_one_target_only),
    Mutant("forgets-who-gets-nothing", _, "Writes no target for members that no longer get partitions.",
           "A partition is in two targets and assigned to two members.", _forgets_who_gets_nothing),
    Mutant("new-members-get-nothing", _, "Writes no target for members that had none before.",
           "Partitions have no reader although there are consumers.", _writes_no_target_epoch_first),
    Mutant("growth-not-seen", _, "Leaves the partition count out of the metadata hash.",
           "Added partitions have no reader.", _counts_no_partitions),
    Mutant("new-id-not-seen", _, "Leaves the topic id out of the metadata hash.",
           "A topic that was created again has no reader.", _knows_topics_by_name),
)  # fmt: skip
