"""The information that a standby (``standbys``) gets in answers to its heartbeats: its place, and the partitions that
it may get.

The answers also shorten its heartbeat interval, because an answer to a heartbeat tells it to take over.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.groups.records import MemberMetadata
from kafka_nextgen.groups.topic_partitions import flatten
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.standby_changes import is_away, takeover_order
from kafka_nextgen.testing.coordinator.extensions.state import LOADING, STANDBYS, TOLD
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.topics import NamedTopics
from kafka_nextgen.types import StandbyState, TopicIdPartition

__all__ = ["standby_place", "standby_state", "with_standby_place"]

#: A standby sends a heartbeat at least this often.
_HEARTBEAT_INTERVAL_MS = 250


def standby_place(group: Group, member_id: str) -> int:
    """The member's place among the standbys that are present, from 1 on; 0 if it is active or away."""
    queue = STANDBYS.of(group)
    if member_id not in queue or is_away(group, member_id):
        return 0
    return 1 + takeover_order(group, queue, LOADING.of(group)).index(member_id)


def standby_state(group: Group, member_id: str) -> StandbyState:
    """Whether the standby is loading or ready; unknown if the member is active or away."""
    if not standby_place(group, member_id):
        return StandbyState.UNKNOWN
    return StandbyState.LOADING if member_id in LOADING.of(group) else StandbyState.READY


def with_standby_place(
    draft: Draft,
    request: ConsumerGroupHeartbeat,
    member: MemberMetadata,
    answer: ConsumerGroupHeartbeatAnswer,
) -> ConsumerGroupHeartbeatAnswer:
    """The answer with the standby's place, the partitions that it may get, and a short heartbeat interval.

    The answer contains these partitions when the standby reaches an epoch, when its topics changed, and with each full
    assignment. Its topics may change without a new epoch, because a standby's subscription does not increase it.
    """
    place = standby_place(draft.group, member.member_id)
    if not place:
        return answer
    answer = evolve(
        answer,
        heartbeat_interval_ms=min(answer.heartbeat_interval_ms, _HEARTBEAT_INTERVAL_MS),
        standby_place=place,
    )
    has_news = _note_topics(draft, member) or answer.member_epoch != request.member_epoch
    if answer.assignment is None and not has_news:
        return answer
    owned = (partition for partition, _ in draft.group.current(member.member_id).assigned)
    return evolve(answer, assignment=frozenset(owned), pending=_may_get(draft, member))


def _note_topics(draft: Draft, member: MemberMetadata) -> bool:
    """Note the topics in the standby's answer; return whether they have changed since an earlier answer."""
    noted, topics = TOLD.of(draft.group), draft.group.topics_of(member)
    before = noted.get(member.member_id)
    if before != topics:
        queue = set(STANDBYS.of(draft.group))
        kept = {member_id: names for member_id, names in noted.items() if member_id in queue}
        TOLD.put(draft.group, {**kept, member.member_id: topics})
    return before not in (None, topics)


def _may_get(draft: Draft, member: MemberMetadata) -> frozenset[TopicIdPartition]:
    """The partitions of the active members, of topics that the standby subscribes to."""
    subscribed = NamedTopics(draft.group.topics_of(member), draft.topics)
    targets = (draft.group.target(active.member_id) for active in draft.group.counted())
    owned = (partition for target in targets for partition in flatten(target))
    return frozenset(partition for partition in owned if partition.topic_id in subscribed)
