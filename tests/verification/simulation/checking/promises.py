"""What applications were told is committed: it stays so, and reading begins there, see ``judge``.

A promise counts until the application seeks, or the offset expires or goes with its group; an answer that was on its
way then promises nothing. A commit that is late, of a member that works on the partition by an excuse (``excuses``), or
of a classic member that is to give it up, may set an offset back.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from attrs import define, field

from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.consumer_protocol import decode_assignment
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import DeleteGroups, OffsetCommit, Request
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicIdPartition, TopicPartition
from tests.verification.simulation.checking.excuses import Excuses, reserved
from tests.verification.simulation.clients import Client
from tests.verification.simulation.cluster import GROUP, Cluster
from tests.verification.simulation.dice import Fault
from tests.verification.simulation.nodes import Node
from tests.verification.simulation.replicas import records_of

Place = tuple[TopicId | None, int]


@define
class Promises:
    """What was handed out, committed, and promised, by topic id and partition."""

    handed: dict[Place, int] = field(factory=lambda: defaultdict(int))  # up to which offset anyone got records
    _promised: dict[Place, int] = field(factory=lambda: defaultdict(int))
    _stored: dict[Place, int] = field(factory=lambda: defaultdict(int))  # what was written last
    _set_back: dict[Place, int] = field(factory=dict)  # what an excused commit took the place of
    _asked_after: dict[tuple[str, Place], int] = field(factory=dict)  # what was promised when a client looked it up
    _withdrawn: Counter[Place] = field(factory=Counter)  # how often a promise ceased to count
    _sent_after: dict[tuple[str, Place], int] = field(factory=dict)  # the same, when a client sent its latest commit

    def in_force(
        self, node: Node, group: Group, request: Request | None, outcome: Outcome, excuses: Excuses
    ) -> Iterator[str]:
        for record in outcome.records:
            if isinstance(record, r.OffsetRemoved) and (request is None or isinstance(request, DeleteGroups)):
                yield from self._forgotten(node, record, by_time=request is None)
            if isinstance(record, r.OffsetCommitted):
                is_anothers = _is_anothers(group, request, record, excuses)
                may_set_back = node.is_serving_late or is_anothers or _is_left_over(group, request, record)
                yield from self._committed(record, excuses if may_set_back else None)
                if is_anothers:  # its owner began elsewhere, and may set it back in turn
                    self._set_back[record.topic_id, record.partition.partition] = record.offset.offset

    def _committed(self, record: r.OffsetCommitted, excuses: Excuses | None) -> Iterator[str]:
        place = (record.topic_id, record.partition.partition)
        offset = record.offset.offset
        if offset > self.handed[place]:
            yield f"{record.partition}: {offset} is committed, but {self.handed[place]} handed out"
        if excuses is not None and offset < max(self._promised[place], self._stored[place]):
            self._promised[place] = min(self._promised[place], offset)
            self._set_back[place] = self._stored[place]
            excuses.late_commit()
        self._stored[place] = offset

    def _forgotten(self, node: Node, record: r.OffsetRemoved, *, by_time: bool) -> Iterator[str]:
        """An offset is gone, because it is old or its group was deleted: what was told of it counts no more."""
        for topic_id, name in node.controller.names.items():
            if name == record.partition.topic:  # whichever topic of this name it was committed for
                place = (topic_id, record.partition.partition)
                self._promised[place] = 0
                self._withdrawn[place] += 1
        if by_time:
            node.dice.note(Fault.OFFSETS_EXPIRED)
            age_ms = node.timeline.now * 1000 - _committed_at_ms(node, record.partition)
            if age_ms < node.settings.offsets_retention_ms:
                yield f"{record.partition}: what was committed {age_ms:.0f} ms ago has expired"

    def looks_up(self, client: Client, partitions: Iterable[TopicPartition]) -> None:
        """A client asks for committed offsets. It may freeze before it hears of them, and others go on."""
        for partition in partitions:
            place = _place(client, partition)
            self._asked_after[client.name, place] = self._promised[place]

    def begins_at(self, client: Client, partition: TopicPartition, offset: int) -> Iterator[str]:
        place = _place(client, partition)
        promised = min(self._promised[place], self._asked_after.get((client.name, place), 0))
        if offset < promised:
            yield f"{client.name} begins {partition} at {offset}, though {promised} was committed"
        if offset > self.handed[place]:
            yield f"{client.name} begins {partition} at {offset}, {self.handed[place]} was handed out"

    def begins_anew(self, client: Client, partition: TopicPartition) -> None:
        """Reading of a partition begins at its first record, whatever is committed (``fetching.topics``)."""
        self._promised[_place(client, partition)] = 0

    def sought(self, client: Client, partition: TopicPartition, offset: int) -> None:
        """Reading goes on elsewhere: a lower offset may be committed now."""
        place = _place(client, partition)
        self._promised[place] = min(self._promised[place], offset)
        self._withdrawn[place] += 1

    def handed_out(self, client: Client, partition: TopicPartition, end: int) -> None:
        place = _place(client, partition)
        self.handed[place] = max(self.handed[place], end)

    def commits(self, client: Client, partitions: Iterable[TopicPartition]) -> None:
        for place in (_place(client, partition) for partition in partitions):
            self._sent_after[client.name, place] = self._withdrawn[place]

    def told_committed(
        self, client: Client, offsets: Mapping[TopicPartition, OffsetAndMetadata], cluster: Cluster
    ) -> Iterator[str]:
        for partition, offset in offsets.items():
            place = _place(client, partition)
            is_latest = self._withdrawn[place] == self._sent_after.get((client.name, place))
            if is_latest and partition in client.applied and offset.offset > self._set_back.get(place, -1):
                self._promised[place] = max(self._promised[place], offset.offset)
                yield from self._look_for_promised(partition, place, cluster.leading)

    def _look_for_promised(self, partition: TopicPartition, place: Place, leading: Node | None) -> Iterator[str]:
        if leading is None or not leading.is_at_work or leading.coordinator is None:
            return
        group = leading.coordinator.groups.get(GROUP)
        stored = None if group is None else group.offsets.get(partition)
        topic = leading.coordinator.topics.by_name.get(partition.topic)
        if topic is None or topic.topic_id != place[0] or topic.num_partitions <= partition.partition:
            return  # it is another one by now, or was
        if stored is None or stored.topic_id not in (None, place[0]) or stored.offset.offset < self._promised[place]:
            offset = -1 if stored is None else stored.offset.offset
            yield f"{partition}: {self._promised[place]} was told to be committed, and {offset} is there"

    def kept(self, node: Node, cluster: Cluster) -> Iterator[str]:
        group = node.coordinator.groups.get(GROUP) if node.coordinator else None
        for image in cluster.topics.values():
            for number in range(image.num_partitions):
                promised = self._promised[image.topic_id, number]
                found = group.offsets.get(TopicPartition(image.name, number)) if group else None
                offset = -1 if found is None else found.offset.offset
                if promised > offset and promised:
                    yield f"{image.name}[{number}]: {promised} was told to be committed, and {offset} is there"


def _is_anothers(group: Group, request: Request | None, record: r.OffsetCommitted, excuses: Excuses) -> bool:
    """Whether what a member commits is reserved for another, or may have been: it works on it by an excuse."""
    member_id = request.member_id if isinstance(request, OffsetCommit) else None
    if member_id is None or member_id not in group.currents or record.topic_id is None:
        return False
    partition = TopicIdPartition(record.topic_id, record.partition.partition)
    return excuses.goes_on(member_id, partition) or partition not in reserved(group, member_id)


def _is_left_over(group: Group, request: Request | None, record: r.OffsetCommitted) -> bool:
    """Whether a classic member commits what it is to give up. One that missed a generation may have to, as static ones
    do that do not join in time (KIP-345): another member has had it since, and the coordinator takes both commits.
    """
    if group.classic is None or not isinstance(request, OffsetCommit):
        return False
    member = group.classic.members.get(request.member_id or "")
    return member is not None and record.partition not in decode_assignment(member.assignment)


def _committed_at_ms(node: Node, partition: TopicPartition) -> int:
    """When the offset that a node knew last was committed, by its log."""
    for batch in reversed(node.replica.batches):
        for record in records_of(batch):
            if isinstance(record, r.OffsetCommitted) and record.partition == partition:
                return record.commit_timestamp_ms
    return 0


def _place(client: Client, partition: TopicPartition) -> Place:
    return client.topic_ids.get(partition.topic), partition.partition
