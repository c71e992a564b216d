"""Three nodes, the one that leads the partition, and the topics.

A controller knows who lives and who is in sync, and picks the leader. Nodes learn of that, and of topics, each at its
own time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from attrs import define, evolve, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, OffsetCommit, Request, TopicImage
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from tests.verification.simulation.dice import Dice, Fault
from tests.verification.simulation.nodes import Node, Standing
from tests.verification.simulation.recording import Recording
from tests.verification.simulation.timeline import Plan, Timeline

if TYPE_CHECKING:
    from tests.verification.simulation.checking.judge import Judge

#: What both ends speak: the highest version of each.
VERSIONS: Mapping[Api, int] = {
    api: api.max_version
    for api in (
        *(apis.CONSUMER_GROUP_HEARTBEAT, apis.HEARTBEAT, apis.JOIN_GROUP, apis.SYNC_GROUP, apis.LEAVE_GROUP),
        *(apis.DESCRIBE_GROUPS, apis.OFFSET_COMMIT, apis.OFFSET_FETCH),
    )
}
#: The one group there is.
GROUP = "g"
_REPLICATION_S = 0.003
_NEWS_S = 0.01
_MIN_IN_SYNC = 2


@define(eq=False)
class Cluster:
    """All of it. ``leader_epoch`` counts elections; each has the offset that its leader began at."""

    timeline: Timeline
    dice: Dice
    observer: Judge
    settings: CoordinatorSettings
    target_sizes: Sequence[int] = (0, 0, 0)  # of each node
    nodes: list[Node] = field(factory=list)
    recording: Recording | None = None
    topics: dict[str, TopicImage] = field(factory=dict)
    topics_version: int = 0
    names: dict[TopicId, str] = field(factory=dict)
    in_sync: set[int] = field(factory=set)
    leader: int | None = None
    last_in_sync: int | None = None  # the last leader, if none could take over
    elections: list[int] = field(factory=list)
    versions: dict[Api, int] = field(factory=lambda: dict(VERSIONS))  # of each API, the highest that nodes speak
    rights_taken: dict[str, ErrorCode] = field(factory=dict)  # by client, what it is refused with
    _copying: dict[int, Plan] = field(factory=dict)
    _marks: dict[int, int] = field(factory=dict)  # the high watermarks of nodes when they ceased to lead

    def start(self) -> None:
        """Make the nodes, and let the first one lead."""
        self.nodes = [
            Node(
                node_id,
                self.timeline,
                self.dice.stream(f"node {node_id}"),
                self,
                self.observer,
                evolve(self.settings, group_target_size=size),
            )
            for node_id, size in enumerate(self.target_sizes)
        ]
        self.in_sync = {0, 1, 2}
        self.elect(0)

    def alive(self) -> list[Node]:
        return [node for node in self.nodes if node.is_alive]

    @property
    def leading(self) -> Node | None:
        """The node that leads, as the controller knows."""
        return None if self.leader is None else self.nodes[self.leader]

    def elect(self, node_id: int, *, knows_late: float = 0.0) -> None:
        """Let a node in sync lead; the one before learns of it so many seconds later."""
        before = self.leading
        if before is not None:
            self._marks[before.node_id] = self.high_watermark(before)
        self.leader = node_id
        node = self.nodes[node_id]
        if before is not None and before is not node and before.is_alive and before.replica.end > node.replica.end:
            self.dice.note(Fault.TAIL_LOST)
        self.elections.append(node.replica.end)
        node.replica.leader_epoch = len(self.elections)
        if before is not None and before is not node and before.is_alive:
            if knows_late:
                self.in_sync.discard(before.node_id)
                self.timeline.after(knows_late, lambda: self._learns(before))
            else:
                self._learns(before)
        for other in self.alive():
            if (
                other is not node and other.standing is Standing.ELSEWHERE
            ):  # one that still coordinates has yet to learn
                self._follow(other)
        for other in self.nodes:
            delay = 0.0 if other is node else self.dice.tail(_NEWS_S)
            self.timeline.after(delay, lambda other=other: self._believe(other, node_id))  # type: ignore[misc]
        _tell_topics(node, self.topics, self.topics_version)  # who leads is news of the same log as topics, in order
        node.begin()

    def _believe(self, node: Node, leader: int) -> None:
        if self.leader == leader:
            node.believed_leader = leader

    def _learns(self, node: Node) -> None:
        if node.node_id == self.leader or not node.is_alive:
            return
        node.resign()
        self._follow(node)

    def _follow(self, node: Node) -> None:
        """Cut off what the leaders since did not have, and copy the rest."""
        leading = self.leading
        if leading is None or node is leading or not node.is_alive:
            return
        for offset in self.elections[node.replica.leader_epoch :]:
            node.replica.cut_off(offset)
        node.replica.leader_epoch = len(self.elections)
        self._copy_soon(node)

    def is_led_by(self, node: Node) -> bool:
        return self.leader == node.node_id

    def can_append(self, node: Node) -> bool:
        """Whether enough replicas are in sync, as far as the node knows: one that leads no more knows nothing."""
        return not self.is_led_by(node) or len(self.in_sync) >= _MIN_IN_SYNC

    def appended(self, node: Node) -> None:
        """The log of a node has grown: the others copy it, if it leads."""
        if self.is_led_by(node):
            for other in self.alive():
                if other is not node:
                    self._copy_soon(other)

    def high_watermark(self, node: Node) -> int:
        """Up to which offset all replicas in sync have what this node appended."""
        if not self.is_led_by(node):
            return self._marks.get(node.node_id, 0)  # no follower copies from it any more
        return min(self.nodes[each].replica.end for each in self.in_sync | {node.node_id})

    def _in_common(self, node: Node) -> int:
        """Up to which offset a node has what the leader has: a tail that it has alone is no part of that."""
        return min([node.replica.end, *self.elections[node.replica.leader_epoch :]])

    def _copy_soon(self, node: Node) -> None:
        plan = self._copying.get(node.node_id)
        if plan is not None and plan.action is not None:
            return
        slow = self.dice.happens(Fault.SLOW_REPLICA, 0.4)
        delay = self.dice.between(0.1, 3.0) if slow else self.dice.tail(_REPLICATION_S)
        self._copying[node.node_id] = self.timeline.after(delay, lambda: self._copy(node))

    def _copy(self, node: Node) -> None:
        leading = self.leading
        if leading is None or leading is node or not node.is_alive or not leading.is_alive:
            return
        if node.replica.leader_epoch < len(self.elections):
            return  # it follows, or still believes that it leads
        node.replica.copy_from(leading.replica)
        self.in_sync.add(node.node_id)
        leading.release()

    def lacks(self, client: str, request: Request) -> ErrorCode:
        """The code of the rights that this client does not have just now; NONE if it has them."""
        code = self.rights_taken.get(client, ErrorCode.NONE)
        names_topics = isinstance(request, OffsetCommit) or (
            isinstance(request, ConsumerGroupHeartbeat) and request.member_epoch >= 0
        )
        return code if code is ErrorCode.GROUP_AUTHORIZATION_FAILED or names_topics else ErrorCode.NONE

    def crash_for_a_while(self, node: Node) -> bool:
        """A node is gone, and comes back; False if it is the last one."""
        if len(self.alive()) < _MIN_IN_SYNC:
            return False
        self.crash(node)
        self.timeline.after(self.dice.between(0.5, 40.0), lambda: None if node.is_alive else self.come_back(node))
        return True

    def crash(self, node: Node) -> None:
        """A node is gone; another one in sync leads, if there is one. The end of its log may be torn off.

        What counts as stored is on disk.
        """
        if self.dice.happens(Fault.TORN_TAIL):
            node.replica.cut_off(self.high_watermark(self.leading or node))
        node.crash()
        self.in_sync.discard(node.node_id)
        if self.is_led_by(node):
            self._replace_leader(node)
        elif self.leading is not None:
            self.leading.release()

    def _replace_leader(self, gone: Node) -> None:
        candidates = [each for each in sorted(self.in_sync) if self.nodes[each].is_alive]
        if candidates:
            self.elect(self.dice.pick(candidates))
        else:
            self.leader, self.last_in_sync = None, gone.node_id

    def come_back(self, node: Node) -> None:
        """A node is there again, with the log it had."""
        node.is_alive = True
        node.topics, node.topics_version = self.topics, self.topics_version
        if self.leader is not None:
            self._follow(node)
        elif node.node_id == self.last_in_sync:  # nobody else has all that was stored
            self.in_sync = {node.node_id}
            self.elect(node.node_id)
        node.believed_leader = node.node_id if self.leader is None else self.leader

    def fail_over(self) -> None:
        """Another node leads, though the one before lives."""
        others = [each for each in sorted(self.in_sync) if each != self.leader and self.nodes[each].is_alive]
        if not others:
            return
        late = self.dice.between(0.1, 20.0) if self.dice.happens(Fault.OLD_COORDINATOR) else 0.0
        self.elect(self.dice.pick(others), knows_late=late)

    def compact(self) -> int:
        node = self.dice.pick(self.alive())
        leading = self.leading or node
        if node.standing is Standing.LOADING:
            self.dice.note(Fault.COMPACTION_WHILE_LOADING)
        all_have = 0 if node.standing is Standing.LOADING else min(map(self._in_common, self.nodes))
        below = min(self.high_watermark(leading), self._in_common(node))
        below -= int(self.dice.chance() * below * 0.3)  # not all at once
        return node.replica.compact(below, min(all_have, below))

    def set_topic(self, name: str, partitions: int, *, anew: bool = False) -> None:
        """Make a topic, grow it, or make it again under a new id."""
        known = self.topics.get(name)
        topic_id = UUID(int=len(self.names) + 1) if anew or known is None else known.topic_id
        self.names[topic_id] = name
        image = TopicImage(topic_id, name, partitions)
        self.topics = {
            **self.topics,
            name: image if known is None or anew else evolve(known, num_partitions=partitions),
        }
        self._spread_topics()

    def delete_topic(self, name: str) -> None:
        self.topics = {each: image for each, image in self.topics.items() if each != name}
        self._spread_topics()

    def _spread_topics(self) -> None:
        self.topics_version += 1
        topics, version = self.topics, self.topics_version
        for node in self.nodes:
            late = self.dice.happens(Fault.LATE_METADATA)
            delay = self.dice.between(0.5, 10.0) if late else self.dice.tail(_NEWS_S)
            self.timeline.after(delay, lambda node=node: _tell_topics(node, topics, version))  # type: ignore[misc]


def _tell_topics(node: Node, topics: dict[str, TopicImage], version: int) -> None:
    """A node that knows of later changes keeps to these."""
    if node.is_alive and version > node.topics_version:
        node.topics_version = version
        node.tell_topics(topics)
