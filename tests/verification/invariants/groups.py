"""What must hold of every group at every moment, in plain words and code.

Each rule yields a sentence for each way it is broken; silence is good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set

from kafka_nextgen.groups.records import MemberMetadata, MemberStatus
from kafka_nextgen.groups.topic_partitions import flatten
from kafka_nextgen.testing.coordinator.admission import LEAVE_TEMPORARILY
from kafka_nextgen.testing.coordinator.extensions.leaving.leavers import gone
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.hooks import NO_EXTENSIONS
from kafka_nextgen.testing.coordinator.timers import TimerKey, TimerKind
from kafka_nextgen.testing.coordinator.topics import Topics
from kafka_nextgen.types import TopicId, TopicIdPartition
from tests.verification.invariants.classic_groups import classic_violations
from tests.verification.invariants.extensions import extension_violations
from tests.verification.invariants.mixed_groups import mixed_violations


def violations(group: Group, topics: Topics, timers: Set[TimerKey]) -> list[str]:
    """Every rule that ``group`` breaks; ``timers`` are those that run."""
    beyond = [] if group.hooks is NO_EXTENSIONS else [*extension_violations(group, timers)]
    timers = {key for key in timers if key.kind not in group.hooks.timers}
    if group.classic is not None:
        return [*_one_kind(group), *classic_violations(group.classic, group.classic_record, timers), *beyond]
    return [
        *beyond,
        *_one_owner(group),
        *_epochs_in_order(group),
        *_revocation_and_status_agree(group),
        *_stable_means_all_there(group, topics),
        *_target_disjoint(group),
        *_target_complete(group, topics),
        *_indexes_in_step(group),
        *mixed_violations(group),
        *_timers_as_needed(group, timers),
    ]


def _one_kind(group: Group) -> Iterator[str]:
    if group.is_consumer_group or group.members or group.currents or group.targets or group.patterns:
        yield f"{group.group_id} has a classic group, and a consumer group or what is left of one"


def _one_owner(group: Group) -> Iterator[str]:
    """A partition belongs to one member, be it assigned or still to be given back."""
    claims: dict[TopicIdPartition, str] = {}
    for member_id, current in sorted(group.currents.items()):
        for partition, _ in current.assigned + current.pending_revocation:
            if partition in claims:
                yield f"{partition} is with {claims[partition]} and with {member_id}"
            claims[partition] = member_id
    if claims != dict(group.owners):
        yield "the index of owners says otherwise than the members"


def _epochs_in_order(group: Group) -> Iterator[str]:
    """Group epoch >= assignment epoch >= member epochs >= the epochs their partitions were granted at."""
    if group.assignment_epoch > group.epoch:
        yield f"assignment epoch {group.assignment_epoch} is beyond group epoch {group.epoch}"
    for member_id, current in sorted(group.currents.items()):
        if current.member_epoch > group.assignment_epoch:
            yield f"{member_id} is at {current.member_epoch}, beyond assignment epoch {group.assignment_epoch}"
        if current.member_epoch == LEAVE_TEMPORARILY:
            continue
        for partition, epoch in current.assigned + current.pending_revocation:
            if epoch > current.member_epoch:
                yield f"{member_id} at {current.member_epoch} was granted {partition} at {epoch}"


def _revocation_and_status_agree(group: Group) -> Iterator[str]:
    """A member is UNREVOKED exactly while it has something to give back. One that left for a while has not."""
    for member_id, current in sorted(group.currents.items()):
        unrevoked = current.status is MemberStatus.UNREVOKED_PARTITIONS
        if bool(current.pending_revocation) != unrevoked and current.member_epoch != LEAVE_TEMPORARILY:
            yield f"{member_id} is {current.status.name} with {len(current.pending_revocation)} to give back"


def _stable_means_all_there(group: Group, topics: Topics) -> Iterator[str]:
    """A stable member at the target's epoch has its target, as far as it still subscribes to it."""
    if group.checked_topics_version != topics.version:
        return
    for member_id, current in sorted(group.currents.items()):
        if current.status is not MemberStatus.STABLE or current.member_epoch != group.assignment_epoch:
            continue
        subscribed = _topics_of(group, group.members[member_id], topics)
        assigned = {partition for partition, _ in current.assigned}
        target = set(flatten(group.target(member_id)))
        if not assigned <= target:
            yield f"{member_id} is stable with partitions that are not its target"
        missing = {partition for partition in target - assigned if partition.topic_id in subscribed}
        if missing and group.assignment_epoch == group.epoch:
            yield f"{member_id} is stable without {sorted(missing)}"


def _target_disjoint(group: Group) -> Iterator[str]:
    """No partition is in two targets, and nobody has a target but members."""
    counts = Counter(partition for target in group.targets.values() for partition in flatten(target))
    yield from (f"{partition} is in {count} targets" for partition, count in counts.items() if count > 1)
    yield from (
        f"{member_id} has a target and is no member" for member_id in group.targets.keys() - group.members.keys()
    )


def _target_complete(group: Group, topics: Topics) -> Iterator[str]:
    """A target up to date has every partition of every subscribed topic, each with a subscriber; unless it is what the
    leader of a classic group had given out when that was upgraded, at no time that is known; or of an assignor that
    stated an error. A pattern that matches nothing may have taken the place of another without a new target, as in
    Kafka (``regex``): what its member had by that one is in its target still. While members are announced to leave,
    nobody has the partitions of those that have left.
    """
    is_current = group.epoch == group.assignment_epoch and group.checked_topics_version == topics.version
    is_current = is_current and group.assignment_timestamp_ms > 0 and not group.assignment_error
    if not list(group.counted()) or not is_current or group.pattern_subscribers.keys() != group.patterns.keys():
        return
    subscribed = group.counted_topics()
    wanted = {
        TopicIdPartition(topic.topic_id, number)
        for name, topic in topics.by_name.items()
        if name in subscribed
        for number in range(topic.num_partitions)
    }
    kept = {member_id for member_id in group.targets if _pattern_came_to_nothing(group, member_id)}
    had = {partition for member_id in kept for partition in flatten(group.target(member_id))}
    targets = {partition for target in group.targets.values() for partition in flatten(target)}
    if wanted | had != targets and not (gone(group) and wanted | had > targets):
        yield "the target is not exactly the partitions of the subscribed topics"
    for member_id, target in sorted(group.targets.items()):
        if member_id not in kept and not target.keys() <= _topics_of(group, group.members[member_id], topics):
            yield f"{member_id} is to have partitions of topics it does not subscribe to"


def _pattern_came_to_nothing(group: Group, member_id: str) -> bool:
    """Whether the member's pattern was matched after the target was made, and matches nothing."""
    pattern = group.patterns.get(group.members[member_id].subscribed_pattern or "")
    return pattern is not None and not pattern.topics and pattern.timestamp_ms >= group.assignment_timestamp_ms


def _indexes_in_step(group: Group) -> Iterator[str]:
    """One live member per instance id; counts are what counting gives."""
    members = group.members.values()
    instances = {member.instance_id: member.member_id for member in members if member.instance_id is not None}
    if instances != dict(group.instances) or len(instances) != sum(m.instance_id is not None for m in members):
        yield "an instance id has more than one member, or the index of instances is out of step"
    if Counter(name for member in members for name in member.subscribed_topics) != dict(group.topic_subscribers):
        yield "the count of topic subscribers is out of step"
    if Counter(m.subscribed_pattern for m in members if m.subscribed_pattern) != dict(group.pattern_subscribers):
        yield "the count of pattern subscribers is out of step"
    if Counter(m.server_assignor for m in members if m.server_assignor is not None) != dict(group.votes):
        yield "the count of votes is out of step"


def _timers_as_needed(group: Group, timers: Set[TimerKey]) -> Iterator[str]:
    """A session timer for every member, a rebalance timer for each that has to revoke, and no others of these; but
    for members of the classic protocol, whose timers say more than their records.
    """
    due = {TimerKey(group.group_id, TimerKind.SESSION, member_id) for member_id in group.members}
    due |= {
        TimerKey(group.group_id, TimerKind.REBALANCE, member_id)
        for member_id, current in group.currents.items()
        if current.pending_revocation and not group.is_classic_member(member_id)
    }
    running = {key for key in timers if key.group_id == group.group_id and key.kind is not TimerKind.PATTERN}
    yield from (f"{key} does not run" for key in sorted(due - running))
    rest = running - due
    yield from (f"{key} runs for nothing" for key in sorted(rest) if not group.is_classic_member(key.member_id))


def _topics_of(group: Group, member: MemberMetadata, topics: Topics) -> set[TopicId]:
    return {topics.by_name[name].topic_id for name in group.topics_of(member) if name in topics.by_name}
