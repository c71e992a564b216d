"""What the protocol can't prevent: the closed list of what a run is excused for, each with how often it came.

*A topic made again*: a classic member is told names. Of a topic that was made again it reads the new one, though it was
assigned the one before, until it joins again and has synced; the coordinator takes the old one for given up meanwhile.

*A partition that is gone*: what a JoinGroup says of topics and partitions that the coordinator does not know any more
means nothing to it, and it takes them for given up. They are given to no other member.

*An upgrade*: a cooperative member has a partition until it has polled after it synced (KIP-429). If its group becomes a
consumer group before that, the coordinator does not know of it, and gives the partition away at once. Nor does it know
what members have of topics that it has not heard of yet.

*A removed member*: a cooperative member whose session has ended, and that does not know of it, joins again by the id
that it had. The coordinator takes it for new, and it goes on with what it had until it syncs (as in Kafka 4.3.0).

*A late report*: a heartbeat or join of a connection that was given up arrives after newer ones of the same member. It
tells what the member had, and the coordinator takes the rest for given up, though the member works on it by now, has
been told of it and waits for its application to poll, or is being told.

*A late commit*: it sets an offset back behind a newer commit of the same member. So does one of a member that works on
a partition for any reason above, behind its owner's; one of a removed member that joined again, of what it goes on with
and another has had meanwhile; and the last one of a static classic member that missed a generation (KIP-345, KIP-429).

*No target*: where only classic members are left in a consumer group, and the policy allows no downgrade, the epoch
rises, and no heartbeat makes the target of it (Kafka 4.3.0): what a member that left had is read again when one joins.

*A static member came back* to a stable classic group, which does not rebalance for it (KIP-345). The member compares
its assignment, and joins again if that lacks partitions. Before version 9 of JoinGroup a leader is not told that it
leads (KIP-814). It compares its own topics once; partitions that are added later, or to topics of others alone, have no
reader until the next rebalance. The same happens when its return makes a consumer group a classic one (KIP-848,
"Downgrade to the classic protocol"): another member whose target has partitions that it has yet to get is not assigned
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from enum import Enum

from attrs import define, field, frozen

from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.consumer_protocol import decode_assignment
from kafka_nextgen.groups.topic_partitions import flatten
from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, Request
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition
from tests.verification.scenario_language.watching import Watch
from tests.verification.simulation.classic_clients import ClassicClient
from tests.verification.simulation.clients import Client
from tests.verification.simulation.cluster import Cluster

#: The version of JoinGroup from which on a leader that came back is told that it leads.
_WITH_SKIP = 9


class Excuse(Enum):
    """The list. The value is what it is called in reports."""

    MADE_AGAIN = "a classic member reads a topic made again by the name of the one it was assigned"
    GONE = "a classic member has a partition that is gone"
    UPGRADE = "an upgrade gives away what a classic member has yet to give up, or has of topics not heard of"
    REMOVED = "a classic member that was removed joins again, and goes on with what it had until it syncs"
    LATE_REPORT = "a late heartbeat or join takes away what its member works on by now, or is about to"
    LATE_COMMIT = "a commit that is late, or of what is another's by one of these, sets an offset back"
    CAME_BACK = "a static member came back to a stable classic group, and its assignment lacks partitions"
    NO_TARGET = "a consumer group in which only classic members are left makes no new target"


@frozen
class _About:
    """What a late report took from a member that had been given it, or was about to hear so."""

    partitions: frozenset[TopicIdPartition]
    last_number: int  # of the member's requests by then, whose answers may be older


@define
class Excuses:
    """Which partitions each client may work on though they are not reserved for it."""

    counts: Counter[Excuse] = field(factory=Counter)
    _granted: dict[str, set[TopicIdPartition]] = field(factory=dict)  # by member id, all that it ever had
    _heard_of: Set[TopicId] | None = None  # the topics that the coordinator knew at the latest upgrade
    _is_unknown: bool = False  # the request worked out last is a join by an id that the coordinator does not know
    _taken: dict[str, frozenset[TopicIdPartition]] = field(factory=dict)  # by client, what it may go on with
    _reserved: frozenset[TopicIdPartition] = frozenset()  # for the member whose request was worked out last
    _about: dict[str, _About] = field(factory=dict)  # by client, what it may begin with until it is told otherwise
    _gone_on: dict[str, frozenset[TopicIdPartition]] = field(factory=dict)  # by the ids of removed members, with what
    _came_back: int | None = None  # the generation of a stable classic group that a static member came back to last
    _unwatched: int | None = None  # the same, if its version of JoinGroup does not tell a leader that it leads
    _untold: frozenset[TopicIdPartition] = frozenset()  # of targets at that, where it made it a classic group
    _midway: frozenset[TopicIdPartition] = frozenset()  # of targets of classic members, at the request worked out last
    _noted: set[tuple[Excuse, str, TopicIdPartition]] = field(factory=set)

    def asked(self, group: Group, request: Request) -> None:
        self._is_unknown = isinstance(request, JoinGroup) and request.member_id not in group.members
        self._reserved = reserved(group, getattr(request, "member_id", ""))
        self._midway = _untold(group) if isinstance(request, JoinGroup) else frozenset()

    def in_force(
        self,
        group: Group,
        request: Request | None,
        is_late: bool,
        outcome: Outcome,
        clients: Mapping[Client, Watch],
        topics: Set[TopicId],
    ) -> None:
        """An outcome was put into force: perhaps it is an upgrade, or the request came late."""
        if any(isinstance(record, r.ClassicGroupMetadataRemoved) for record in outcome.records):
            self._heard_of = frozenset(topics)
            self._take(Excuse.UPGRADE, group, {each: watch for each, watch in clients.items() if _is_classic(each)})
        if isinstance(request, JoinGroup) and _comes_back(request, group):
            self._came_back, self._untold = group.classic.generation if group.classic else None, self._midway
            self._unwatched = self._came_back if request.version < _WITH_SKIP else self._unwatched
        if isinstance(request, ConsumerGroupHeartbeat | JoinGroup):
            own = {each: watch for each, watch in clients.items() if each.member_id == request.member_id}
            if is_late:
                self._take(Excuse.LATE_REPORT, group, own)
                self._take_beforehand(group, own)
            elif self._is_unknown and isinstance(request, JoinGroup):
                self._take(Excuse.REMOVED, group, own)
                self._gone_on |= {client.member_id: watch.working_on for client, watch in own.items()}

    def granted(self, outcome: Outcome) -> None:
        """An outcome of the coordinator that leads was put into force: it grants."""
        for record in outcome.records:
            if isinstance(record, r.CurrentMemberAssignment):
                granted = self._granted.setdefault(record.member_id, set())
                granted.update(partition for partition, _ in record.assigned)

    def _take(self, excuse: Excuse, group: Group, clients: Mapping[Client, Watch]) -> None:
        for client, watch in clients.items():
            if client.member_id not in group.currents:
                continue
            taken = watch.working_on - reserved(group, client.member_id)
            self._note(excuse, client, taken)
            self._taken[client.name] = self._taken.get(client.name, frozenset()) | taken

    def _take_beforehand(self, group: Group, clients: Iterable[Client]) -> None:
        """A member may have been told of partitions that it begins with only when its application polls."""
        for client in clients:
            if client.member_id in group.currents:
                taken = self._reserved - reserved(group, client.member_id)
                self._about[client.name] = _About(taken, client.member.state.last_number)

    def told(self, client: Client, number: int) -> None:
        """A member hears what it is assigned, in the answer to its request of this number."""
        about = self._about.get(client.name)
        if about is not None and number > about.last_number:
            del self._about[client.name]

    def goes_on(self, member_id: str, partition: TopicIdPartition) -> bool:
        """Whether a member that was removed has had this since before, as another may have."""
        return partition in self._gone_on.get(member_id, ())

    def late_commit(self) -> None:
        self.counts[Excuse.LATE_COMMIT] += 1

    def awaits_target(self, group: Group) -> bool:
        """Whether the group waits for a target that no heartbeat makes."""
        waits = 0 < group.num_classic == len(group.members) and group.assignment_epoch < group.epoch
        self.counts[Excuse.NO_TARGET] += waits
        return waits

    def is_left_out(self, group: Group, partition: TopicPartition, topic_id: TopicId) -> bool:
        """Whether the assignment that a static member came back to gives a partition to no member, or to one that is
        not told of it.
        """
        classic = group.classic
        if classic is None or classic.generation != self._came_back or not classic.is_in(ClassicStatus.STABLE):
            return False
        left_out = TopicIdPartition(topic_id, partition.partition) in self._untold or (
            classic.generation == self._unwatched
            and all(partition not in decode_assignment(each.assignment) for each in classic.in_order())
        )
        self.counts[Excuse.CAME_BACK] += left_out
        return left_out

    def but_for(
        self,
        client: Client,
        working_on: frozenset[TopicIdPartition],
        reserved: Set[TopicIdPartition],
        cluster: Cluster,
    ) -> frozenset[TopicIdPartition]:
        """What a client works on though it is not reserved for it, and there is no excuse."""
        if client.member_id in self._gone_on:
            self._gone_on[client.member_id] &= working_on
        if client.name in self._about:
            self._look_for_begun(client, working_on - reserved)
        taken = self._taken.get(client.name, frozenset()) & working_on
        if client.name in self._taken:
            self._taken[client.name] = taken
        beyond = working_on - reserved - taken
        return self._but_for_names(client, beyond, cluster) if beyond and _is_classic(client) else beyond

    def _look_for_begun(self, client: Client, unreserved: frozenset[TopicIdPartition]) -> None:
        """A member begins with what was taken from it."""
        about = self._about[client.name].partitions
        taken = self._taken.get(client.name, frozenset())
        self._note(Excuse.LATE_REPORT, client, about & unreserved - taken)
        self._taken[client.name] = taken | (about & unreserved)

    def _but_for_names(
        self, client: Client, beyond: frozenset[TopicIdPartition], cluster: Cluster
    ) -> frozenset[TopicIdPartition]:
        sizes = {image.topic_id: image.num_partitions for image in cluster.topics.values()}
        granted = self._granted.get(client.member_id, set())
        made_again = _made_again(beyond - granted, granted, cluster.names)
        unheard = (
            set()
            if self._heard_of is None
            else {each for each in beyond - granted if each.topic_id not in self._heard_of}
        )
        gone = {each for each in beyond if each.partition >= sizes.get(each.topic_id, 0)}
        self._note(Excuse.MADE_AGAIN, client, made_again)
        self._note(Excuse.GONE, client, gone)
        self._note(Excuse.UPGRADE, client, unheard)
        return beyond - made_again - gone - unheard

    def _note(self, excuse: Excuse, client: Client, where: Iterable[TopicIdPartition]) -> None:
        """Count it once for each client and partition."""
        for partition in where:
            case = (excuse, client.name, partition)
            self.counts[excuse] += case not in self._noted
            self._noted.add(case)


def _comes_back(request: JoinGroup, group: Group) -> bool:
    """Whether this is another life of a static member, for which the group did not rebalance."""
    is_stable = group.classic is not None and group.classic.is_in(ClassicStatus.STABLE)
    return is_stable and request.instance_id is not None and not request.member_id


def _untold(group: Group) -> frozenset[TopicIdPartition]:
    """What the classic members of a consumer group have yet to be told of."""
    return frozenset[TopicIdPartition]().union(
        *(
            set(flatten(group.target(member_id))) - {partition for partition, _ in group.current(member_id).assigned}
            for member_id in group.members
            if group.is_classic_member(member_id)
        )
    )


def reserved(group: Group, member_id: str) -> frozenset[TopicIdPartition]:
    """What the coordinator reserves for a member."""
    current = group.currents.get(member_id)
    both = () if current is None else current.assigned + current.pending_revocation
    return frozenset(partition for partition, _ in both)


def _is_classic(client: Client) -> bool:
    return isinstance(client, ClassicClient)


def _made_again(
    partitions: Set[TopicIdPartition], granted: Set[TopicIdPartition], names: Mapping[TopicId, str]
) -> set[TopicIdPartition]:
    """Those of which another topic with the same name was granted."""
    had = {(names[each.topic_id], each.partition) for each in granted}
    return {each for each in partitions if (names[each.topic_id], each.partition) in had}
