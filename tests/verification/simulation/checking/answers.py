"""What must hold of each request: a model of its own says what a coordinator has to make of it, from KIP-848's text.

| rule | when it is looked at |
|---|---|
| a heartbeat is let in or refused as the member epochs and instance ids say | before its outcome is in force |
| it is answered with the member's epoch, and with what it may work on, if that is news or it is full | the same |
| nothing leaves a member but what it has shown to be gone; while it revokes, its epoch stays | the same |
| a partition counts as granted at the epoch it was granted at, as long as it is kept | the same |
| a session timer runs from the last heartbeat that was let in, and from no other | the same |
| the group epoch rises for a reason only | the same |
| who leaves for a while keeps its place; who comes back has what the instance had | the same |
| a commit or lookup is accepted or refused by the epochs at which its partitions were granted | the same |
| a pattern is matched anew when topics were created | the same |
| a request that is repeated changes nothing | when its outcome is in force |
| no matches of patterns without subscribers are kept, and no offsets of topics that are gone | the same |
| a member keeps nothing of topics that it has just unsubscribed from | before its outcome is in force |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.extensions.records import (
    LeavingMembers,
    LeavingMembersRemoved,
    StandbyMembers,
    StandbyMembersRemoved,
)
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.testing.coordinator.extensions.state import STANDBYS
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import (
    ConsumerGroupHeartbeat,
    OffsetCommit,
    OffsetFetch,
    Request,
    TopicImage,
)
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer, OffsetsCommitted, OffsetsFetched
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from kafka_nextgen.testing.coordinator.timers import Arm, TimerKind
from kafka_nextgen.types import TopicIdPartition
from tests.verification.simulation.cluster import GROUP

#: Two matchings are at least so far apart, and at most if there is a reason (seconds).
_MATCHED_S = 10.001
_OF_ADMISSION = frozenset(
    {
        ErrorCode.NONE,
        ErrorCode.GROUP_ID_NOT_FOUND,
        ErrorCode.GROUP_MAX_SIZE_REACHED,
        ErrorCode.UNRELEASED_INSTANCE_ID,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_INSTANCE_ID,
        ErrorCode.FENCED_MEMBER_EPOCH,
    }
)


def asked(coordinator: Coordinator, request: Request, outcome: Outcome, now: float) -> Iterator[str]:
    """What is wrong with the outcome of a request, which is not in force yet."""
    group = coordinator.groups.get(GROUP) or Group(GROUP, coordinator.settings.behaviour.first_epoch)
    if group.classic is not None:
        return
    answer = outcome.response
    if isinstance(request, OffsetCommit) and isinstance(answer, OffsetsCommitted) and group.members:
        yield from _commit(coordinator, group, request, answer, outcome)
    if isinstance(request, OffsetFetch) and isinstance(answer, OffsetsFetched) and group.members:
        expected = _lookup_refusal(group, request)
        if answer.error is not expected:
            yield f"a lookup of {request.member_id} at {request.member_epoch} ends as {answer.error.name}"
    if isinstance(request, ConsumerGroupHeartbeat) and isinstance(answer, ConsumerGroupHeartbeatAnswer):
        yield from _heartbeat(coordinator, group, request, answer, outcome, now)


def refusal(group: Group, request: ConsumerGroupHeartbeat, settings: CoordinatorSettings) -> ErrorCode:
    """What a heartbeat has to be refused with, or NONE."""
    member_id, epoch, instance = request.member_id, request.member_epoch, request.instance_id
    holder = None if instance is None else group.instances.get(instance)
    if epoch != 0 and not group.is_consumer_group:
        return ErrorCode.GROUP_ID_NOT_FOUND
    is_back = holder is not None and settings.profile.has(Profile.V4_4)  # KAFKA-20601: an instance has its place
    is_full = len(group.members) >= settings.group_consumer_max_size
    if epoch >= 0 and is_full and member_id not in group.members and not is_back:
        return ErrorCode.GROUP_MAX_SIZE_REACHED
    if epoch == 0:
        is_held = (
            holder is not None and group.current(holder).member_epoch != -2 and not group.is_classic_member(holder)
        )
        return ErrorCode.UNRELEASED_INSTANCE_ID if is_held else ErrorCode.NONE
    if instance is not None and holder is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if holder not in (None, member_id):
        return ErrorCode.FENCED_INSTANCE_ID
    if member_id not in group.members:
        return ErrorCode.UNKNOWN_MEMBER_ID
    return ErrorCode.NONE if epoch < 0 or _is_at(group, request) else ErrorCode.FENCED_MEMBER_EPOCH


def _is_at(group: Group, request: ConsumerGroupHeartbeat) -> bool:
    current = group.current(request.member_id)
    if request.member_epoch == current.member_epoch:
        return True
    missed = request.member_epoch == current.previous_member_epoch and request.member_epoch < current.member_epoch
    return missed and request.owned is not None and request.owned <= {each for each, _ in current.assigned}


def _heartbeat(
    coordinator: Coordinator,
    group: Group,
    request: ConsumerGroupHeartbeat,
    answer: ConsumerGroupHeartbeatAnswer,
    outcome: Outcome,
    now: float,
) -> Iterator[str]:
    who = f"{request.member_id} at {request.member_epoch}"
    expected = refusal(group, request, coordinator.settings)
    if answer.error is not expected and answer.error in _OF_ADMISSION:
        yield f"a heartbeat of {who} ends as {answer.error.name}, and not as {expected.name}"
    armed = [each.deadline for each in outcome.timers if isinstance(each, Arm) and each.key.kind is TimerKind.SESSION]
    due = [now + coordinator.settings.session_timeout_s] if answer.error is ErrorCode.NONE else []
    if request.member_epoch >= 0 and armed != due and not any(map(group.is_classic_member, group.members)):
        yield f"the session timer of {who}, answered with {answer.error.name}, is set {len(armed)} times"
    if answer.error is not ErrorCode.NONE:
        return
    if request.member_epoch > 0:
        yield from _matched(coordinator, group, request, outcome, now)
    if request.member_epoch == -2:
        yield from _left_for_a_while(coordinator, outcome, who)
    elif request.member_epoch >= 0 and outcome.response is answer:
        yield from _stepped(coordinator, group, request, answer, outcome, who)


def _matched(
    coordinator: Coordinator, group: Group, request: ConsumerGroupHeartbeat, outcome: Outcome, now: float
) -> Iterator[str]:
    """A pattern is matched anew within ten seconds of when topics were created, or it came."""
    known = group.members.get(request.member_id)
    pattern = None if known is None or request.subscribed_pattern is not None else known.subscribed_pattern
    if pattern is None or not group.has_seen_topics:
        return
    matches = group.patterns.get(pattern)
    armed = [each.deadline for each in outcome.timers if isinstance(each, Arm) and each.key.kind is TimerKind.PATTERN]
    latest_s = max((each.timestamp_ms for each in group.patterns.values()), default=0) / 1000
    is_due = matches is None or matches.version != coordinator.topics.created_version
    if is_due and (not armed or armed[-1] > max(now, latest_s + _MATCHED_S)):
        yield f"topics were created, and {pattern} is not matched again"


def _left_for_a_while(coordinator: Coordinator, outcome: Outcome, who: str) -> Iterator[str]:
    """It keeps its place, unless the group has a target size: then a standby may take over; or it was the last one that
    was announced to leave.
    """
    if any(isinstance(record, LeavingMembers | LeavingMembersRemoved) for record in outcome.records):
        return
    for record in outcome.records:
        if coordinator.settings.group_target_size:
            continue
        if not isinstance(record, r.CurrentMemberAssignment):
            yield f"{who} leaves for a while, and {type(record).__name__} is written"
        elif record.pending_revocation:
            yield f"{who} left, and has something to revoke"
    if any(change.key.kind is TimerKind.SESSION for change in outcome.timers):
        yield f"{who} leaves for a while, and its session timer does not run on"


def _stepped(
    coordinator: Coordinator,
    group: Group,
    request: ConsumerGroupHeartbeat,
    answer: ConsumerGroupHeartbeatAnswer,
    outcome: Outcome,
    who: str,
) -> Iterator[str]:
    former_id = None if request.instance_id is None else group.instances.get(request.instance_id)
    is_back = request.member_epoch == 0 and former_id is not None
    before = group.current(former_id if is_back and former_id is not None else request.member_id)
    written = [each for each in outcome.records if isinstance(each, r.CurrentMemberAssignment)]
    after = next((each for each in reversed(written) if each.member_id == answer.member_id), before)
    had, has = dict(before.assigned), dict(after.assigned)
    is_full = request.member_epoch == 0 or (
        request.rebalance_timeout_ms != -1
        and request.owned is not None
        and (request.subscribed_topics is not None or request.subscribed_pattern is not None)
    )
    if answer.member_epoch != after.member_epoch:
        yield f"{who} is at {after.member_epoch}, and is answered {answer.member_epoch}"
    if answer.assignment is None and (is_full or had.keys() != has.keys()):
        yield f"{who} is not told what it has"
    if answer.assignment is not None and answer.assignment != has.keys():
        yield f"{who} is told to have what it has not"
    if _changes_names(group, request) and (beyond := _unsubscribed(coordinator, request, has.keys())):
        yield f"{who} keeps {len(beyond)} partitions of topics it has just unsubscribed from"
    if is_back:
        yield from _came_back(group, before, after, outcome, who)
        return
    gone = (had.keys() | dict(before.pending_revocation).keys()) - has.keys() - dict(after.pending_revocation).keys()
    if gone and (request.owned is None or request.owned & gone):
        yield f"{who} has not shown that {len(gone)} partitions are gone, and they are free"
    if after.pending_revocation and after.member_epoch != before.member_epoch:
        yield f"{who} has to revoke, and moves to {after.member_epoch}"
    if any(epoch != had.get(each, after.member_epoch) for each, epoch in after.assigned):
        yield f"{who} has partitions at epochs they were not granted at"
    if not _changes_standbys(group, outcome):
        yield from _raised(group, request, outcome, who)


def _changes_standbys(group: Group, outcome: Outcome) -> bool:
    """Whether members change places: that one is ready is no reason for anything."""
    queues = [each.member_ids for each in outcome.records if isinstance(each, StandbyMembers)]
    return any(queue != STANDBYS.of(group) for queue in queues) or any(
        isinstance(record, StandbyMembersRemoved) for record in outcome.records
    )


def _changes_names(group: Group, request: ConsumerGroupHeartbeat) -> bool:
    """Whether a member tells of other topics than before, and of no pattern."""
    known = group.members.get(request.member_id)
    if known is None or request.member_epoch <= 0 or request.subscribed_topics is None:
        return False
    pattern = known.subscribed_pattern if request.subscribed_pattern is None else request.subscribed_pattern
    return not pattern and set(request.subscribed_topics) != set(known.subscribed_topics)


def _unsubscribed(
    coordinator: Coordinator, request: ConsumerGroupHeartbeat, kept: Set[TopicIdPartition]
) -> Set[TopicIdPartition]:
    known, named = coordinator.topics.by_id, request.subscribed_topics or ()
    return {each for each in kept if each.topic_id in known and known[each.topic_id].name not in named}


def _came_back(
    group: Group,
    before: r.CurrentMemberAssignment,
    after: r.CurrentMemberAssignment,
    outcome: Outcome,
    who: str,
) -> Iterator[str]:
    """An instance keeps what it had, if there is no new target."""
    if any(isinstance(each, r.TargetAssignmentMetadata | r.GroupMetadata) for each in outcome.records):
        return
    target = {TopicIdPartition(topic, each) for topic, of in group.target(before.member_id).items() for each in of}
    if group.assignment_epoch == group.epoch and (dict(before.assigned).keys() & target) - dict(after.assigned).keys():
        yield f"{who} comes back, and has less than the instance had"
    if before.member_id != after.member_id and before.member_id not in _removed(outcome):
        yield f"{who} comes back, and {before.member_id} stays"


def _removed(outcome: Outcome) -> set[str]:
    return {each.member_id for each in outcome.records if isinstance(each, r.MemberMetadataRemoved)}


def _raised(group: Group, request: ConsumerGroupHeartbeat, outcome: Outcome, who: str) -> Iterator[str]:
    """A known member that says nothing new is no reason for a new epoch; nor are topics that did not change."""
    known = group.members.get(request.member_id)
    raised = [each for each in outcome.records if isinstance(each, r.GroupMetadata) and each.epoch > group.epoch]
    if (
        known is None
        or request.client_assignors is not None
        or not raised
        or raised[0].metadata_hash != group.metadata_hash
        or known.classic is not None
    ):
        return
    names, pattern = request.subscribed_topics, request.subscribed_pattern
    same_names = names is None or set(names) == set(known.subscribed_topics)
    if same_names and (pattern is None or (pattern or None) == known.subscribed_pattern):
        yield f"{who} says nothing new, and the group epoch rises"


def _commit(
    coordinator: Coordinator, group: Group, request: OffsetCommit, answer: OffsetsCommitted, outcome: Outcome
) -> Iterator[str]:
    expected = _commit_refusal(coordinator, group, request)
    found = set(answer.errors.values())
    who = f"a commit of {request.member_id or 'no member'} at {request.member_epoch}"
    if found != {expected}:
        yield f"{who} ends as {', '.join(sorted(each.name for each in found))}, and not as {expected.name}"
    stored = {each.partition: each.offset for each in outcome.records if isinstance(each, r.OffsetCommitted)}
    if expected is ErrorCode.NONE and found == {expected} and stored != dict(request.offsets):
        yield f"{who} is accepted, and {len(stored)} of {len(request.offsets)} offsets are stored"


def _commit_refusal(coordinator: Coordinator, group: Group, request: OffsetCommit) -> ErrorCode:
    if request.member_id not in group.members:
        return ErrorCode.UNKNOWN_MEMBER_ID
    current = group.current(request.member_id)
    is_classic = group.is_classic_member(request.member_id)
    granted = dict(current.assigned + current.pending_revocation)
    topics = coordinator.topics.by_name
    places = [(topics.get(each.topic), each.partition) for each in request.offsets]
    had = all(
        topic is not None and granted.get(TopicIdPartition(topic.topic_id, number), 1 << 31) <= request.member_epoch
        for topic, number in places
    )
    if request.member_epoch == current.member_epoch or (request.member_epoch < current.member_epoch and had):
        return ErrorCode.NONE
    return ErrorCode.ILLEGAL_GENERATION if is_classic else ErrorCode.STALE_MEMBER_EPOCH


def _lookup_refusal(group: Group, request: OffsetFetch) -> ErrorCode:
    if request.member_id is None:
        return ErrorCode.NONE if request.member_epoch < 0 else ErrorCode.UNKNOWN_MEMBER_ID
    if request.member_id not in group.members:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if request.member_epoch == group.current(request.member_id).member_epoch:
        return ErrorCode.NONE
    is_classic = group.is_classic_member(request.member_id)
    return ErrorCode.ILLEGAL_GENERATION if is_classic else ErrorCode.STALE_MEMBER_EPOCH


def repeated(coordinator: Coordinator, request: Request, now: float) -> Iterator[str]:
    """What a heartbeat that was served would change if it arrived once more; not that its answer was heard."""
    if not isinstance(request, ConsumerGroupHeartbeat) or request.member_epoch < 0:
        return
    group = coordinator.groups.get(GROUP)
    for record in () if group is None else coordinator.handle(request, now).records:
        if isinstance(record, r.CurrentMemberAssignment):
            current = group.current(record.member_id)  # type: ignore[union-attr]
            if evolve(record, previous_member_epoch=current.previous_member_epoch) == current:
                continue
        yield f"a heartbeat of {request.member_id} at {request.member_epoch} that is repeated changes the group"
        return


def in_force(coordinator: Coordinator, topics: Mapping[str, TopicImage]) -> Iterator[str]:
    """What is kept for nothing. The broker's ``topics`` may be news to the coordinator."""
    group = coordinator.groups.get(GROUP)
    if group is None:
        return
    if not group.patterns.keys() <= group.pattern_subscribers.keys():
        yield "matches are kept of a pattern without subscribers"
    kept = {each.topic_id for each in group.offsets.values()} - {None} - coordinator.topics.by_id.keys()
    if kept - {each.topic_id for each in topics.values()}:
        yield f"offsets are kept of {len(kept)} topics that are gone"
