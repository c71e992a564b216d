"""Update a member's metadata, and decide whether the group needs a new assignment.

A heartbeat has changed fields; fields that it leaves out do not change (KIP-848, "ConsumerGroupHeartbeat API"). The
group epoch increases when the topics to assign change: the member's topic names changed, or its pattern did and the new
matches are known, or the topics themselves changed (KIP-848, "Group Epoch - Trigger a rebalance"). A pattern not
matched yet increases it later, once the matches are known. Since Kafka 4.4 it also increases when most members request
a different assignor than before (KAFKA-20434). A change of rack or timeout does not increase it, and takes effect with
the next assignment.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.records import GroupMetadata, MemberMetadata, RegularExpressionRemoved
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.target import chosen_assignor
from kafka_nextgen.types import RebalanceReason

__all__ = ["Update", "advance_epoch", "forget_pattern_if_unused", "known_or_blank", "note_member", "update_member"]


_TOPIC_METADATA_CHANGED = Cause(RebalanceReason.TOPIC_METADATA_CHANGED)


@frozen
class Update:
    """What a heartbeat changed. ``calls_for_assignment``: the topics to assign changed, which excludes a new pattern
    not matched yet. ``asks_for_assignment``: the member requested an assignment through extension fields.
    ``assignor_changed``: another of the broker's assignors must make the next assignment, immediately.
    """

    member: MemberMetadata
    is_new: bool
    subscription_changed: bool
    calls_for_assignment: bool
    asks_for_assignment: bool = False
    assignor_changed: bool = False


def update_member(draft: Draft, request: ConsumerGroupHeartbeat) -> Update:
    """Update the member's metadata from the heartbeat; an unknown member is added."""
    known = known_or_blank(draft.group, request.member_id)
    member = draft.hooks.update(known, request, _with_changes(known, request))
    votes = member.server_assignor != known.server_assignor and draft.settings.behaviour.assignor_change_rebalances
    elected_before = chosen_assignor(draft.group, draft.settings) if votes else None
    update = note_member(draft, member)
    is_other = votes and chosen_assignor(draft.group, draft.settings) is not elected_before
    asks = draft.hooks.asks_for_assignment(draft, known, request)
    return evolve(update, asks_for_assignment=asks, assignor_changed=is_other) if asks or is_other else update


def note_member(draft: Draft, member: MemberMetadata) -> Update:
    """Store the member's new metadata."""
    is_new = member.member_id not in draft.group.members
    known = known_or_blank(draft.group, member.member_id)
    if member != draft.group.members.get(member.member_id):
        draft.write(member)
    names_changed = member.subscribed_topics != known.subscribed_topics
    pattern_changed = member.subscribed_pattern != known.subscribed_pattern
    if pattern_changed:
        forget_pattern_if_unused(draft, known.subscribed_pattern)
    resolved = member.subscribed_pattern is None or member.subscribed_pattern in draft.group.patterns
    return Update(
        member,
        is_new=is_new,
        subscription_changed=names_changed or pattern_changed,
        calls_for_assignment=names_changed or (pattern_changed and resolved),
    )


def advance_epoch(draft: Draft, cause: Cause | None = None) -> None:
    """Raise the group epoch if there is a cause, or if its topics changed. The topics are compared only if the topics
    or the group changed at all.
    """
    group, caused_at_ms = draft.group, None
    if cause is None:
        if group.checked_topics_version == draft.topics.version:
            return
        cause, caused_at_ms = _TOPIC_METADATA_CHANGED, draft.topics.changed_at_ms if group.has_seen_topics else None
    group.checked_topics_version = draft.topics.version
    metadata_hash = draft.topics.metadata_hash(group.counted_topics())
    if cause is not _TOPIC_METADATA_CHANGED or metadata_hash != group.metadata_hash:
        draft.write(GroupMetadata(group.group_id, group.epoch + 1, metadata_hash))
        draft.hooks.rebalance_began(draft, cause, caused_at_ms)


def forget_pattern_if_unused(draft: Draft, pattern: str | None) -> None:
    """Remove a pattern's matches when its last subscriber is gone."""
    if pattern in draft.group.patterns and pattern not in draft.group.pattern_subscribers:
        assert pattern is not None
        draft.write(RegularExpressionRemoved(draft.group.group_id, pattern))


def known_or_blank(group: Group, member_id: str) -> MemberMetadata:
    """The member's metadata; blank if it is new."""
    blank = MemberMetadata(group.group_id, member_id, None, None, "", "", (), None, -1, None)
    return group.members.get(member_id, blank)


def _with_changes(known: MemberMetadata, request: ConsumerGroupHeartbeat) -> MemberMetadata:
    names, pattern = request.subscribed_topics, request.subscribed_pattern
    timeout_ms = request.rebalance_timeout_ms
    return MemberMetadata(
        group_id=known.group_id,
        member_id=known.member_id,
        instance_id=known.instance_id if request.instance_id is None else request.instance_id,
        rack_id=known.rack_id if request.rack_id is None else request.rack_id,
        client_id=request.client_id,
        client_host=request.client_host,
        subscribed_topics=known.subscribed_topics if names is None else tuple(sorted(names)),
        subscribed_pattern=known.subscribed_pattern if pattern is None else pattern or None,  # "" removes it
        rebalance_timeout_ms=known.rebalance_timeout_ms if timeout_ms == -1 else timeout_ms,
        server_assignor=request.server_assignor or known.server_assignor,
    )
