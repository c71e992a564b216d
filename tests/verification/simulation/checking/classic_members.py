"""What must hold of clients of the classic protocol, and of groups that have any: beside ``judge``.

| rule | when it is looked at |
|---|---|
| what a JoinGroup reports as owned is what the callbacks have finished with; eager members own nothing \
| when it is sent |
| a SyncGroup is of the generation that the latest JoinGroup was answered with; one heartbeat is in flight, but for \
one that a silent coordinator owes | when it is sent |
| a generation that a member has synced in never falls, as long as the coordinator knows it by the same id | when an \
answer is heard |
| within a generation no partition is assigned twice | when an assignment is heard |
| of those in a classic group's generation, no two work on the same partition | when assignments are applied, and \
after outcomes |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic import effects as cfx
from kafka_nextgen.membership.classic import events as cev
from kafka_nextgen.membership.effects import CallOnRevoked, FindCoordinator, PublishEpoch, RaiseToApplication
from kafka_nextgen.membership.events import HeartbeatLost, HeartbeatRefused
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.settings import MigrationPolicy
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition, format_topic_ids
from tests.verification.scenario_language.watching import NOTHING, Watch
from tests.verification.simulation.checking.classic_conduct import ClassicConduct
from tests.verification.simulation.checking.hot_standbys import HotStandbys
from tests.verification.simulation.classic_clients import ClassicClient
from tests.verification.simulation.clients import Client


def watch_of(client: Client) -> Watch:
    return ClassicWatch(client=client) if isinstance(client, ClassicClient) else Watch()


@define
class ClassicWatch(Watch):
    """One life of a client of the classic protocol, seen from outside."""

    client: ClassicClient = field(kw_only=True)
    conduct: ClassicConduct = field(init=False)
    hot_standbys: HotStandbys = field(init=False)
    join: int | None = None
    joined: tuple[str, int] | None = None  # the id and the generation that the latest JoinGroup was answered with
    beat: int | None = None
    has_missed_one: bool = False  # a generation, before the one that it has synced in last
    settled: dict[str, int] = field(factory=dict)  # by member id, the latest generation that the member has synced in

    def __attrs_post_init__(self) -> None:
        self.conduct = ClassicConduct(self.client)
        self.hot_standbys = HotStandbys(self.client)

    @property
    def working_on(self) -> frozenset[TopicIdPartition]:
        """Whatever can be handed out just now: of topics that the client has not seen yet nothing can."""
        ids = self.client.topic_ids
        flowing = (tp for tp in self.applied - self.stopped if tp.topic in ids)
        return frozenset(TopicIdPartition(ids[tp.topic], tp.partition) for tp in flowing)

    def sees(self, effect: object) -> None:
        self.broken.extend(self.conduct.wanted(effect, self))
        self.broken.extend(self.hot_standbys.wanted(effect))
        match effect:
            case cfx.SendJoinGroup():
                self._joins(effect)
            case cfx.SendSyncGroup():
                self.expect(not self.failed, "nothing is sent after a fatal error")
                is_answer = self.joined == (effect.member_id, effect.generation)
                self.expect(is_answer, "a SyncGroup follows a JoinGroup that was answered")
            case FindCoordinator():
                self.beat = None
            case cfx.SendClassicHeartbeat():
                self.expect(not self.failed, "nothing is sent after a fatal error")
                self.expect(self.beat is None, "one heartbeat is in flight")
                self.beat = effect.number
            case cfx.SendLeaveGroup():
                self.join = self.joined = self.beat = None
            case PublishEpoch():
                self.has_missed_one = 0 < self.published_epoch < effect.member_epoch - 1
                self.published_epoch = effect.member_epoch
            case CallOnRevoked(partitions=()):
                self.expect(not self.told, "an eager member gives up everything")
            case _:
                super().sees(effect)

    def _joins(self, effect: cfx.SendJoinGroup) -> None:
        self.expect(not self.failed, "nothing is sent after a fatal error")
        self.join, self.joined, self.beat = effect.number, None, None
        owned, had = effect.subscription.owned, self.done | self.told
        self.expect(had <= owned, "what the application has is reported until it is done giving it up")
        self.expect(owned <= had, "nothing is reported that the application does not have")
        generation = max(0, effect.subscription.generation)
        self.expect(generation == max(0, self.published_epoch), "a JoinGroup says the generation that commits go under")
        self.expect(not (owned and not self.client.settings.is_cooperative), "an eager member joins with nothing")
        self.expect(not self.client.callbacks, "a member joins when all callbacks have finished")

    def heard(self, effect: object, answer: object) -> None:
        self.conduct.heard(answer)
        self.hot_standbys.heard(answer)
        if isinstance(effect, cfx.SendClassicHeartbeat) and effect.number == self.beat:
            assert isinstance(answer, cev.SessionKept | HeartbeatRefused | HeartbeatLost)
            self.beat = None
        if isinstance(answer, cev.JoinAnswered) and answer.number == self.join:
            self.joined = (answer.member_id, answer.generation)
            before = self.settled.get(answer.member_id, 0)
            self.expect(answer.generation >= before, f"generation {answer.generation} comes after {before}")
        if isinstance(effect, cfx.SendSyncGroup) and isinstance(answer, cev.SyncAnswered):
            self.settled[effect.member_id] = effect.generation

    def _with_ids(self, partitions: frozenset[TopicPartition]) -> frozenset[TopicIdPartition]:
        return frozenset()  # nothing that this member says names topics by id

    def callback_ended(self, effect: object, failed: bool) -> None:
        """A callback returned, or raised: a member lets go of what it revoked even so."""
        super().callback_ended(effect, failed and not isinstance(effect, CallOnRevoked))


@define
class Generations:
    """What each generation was assigned to; once the group was empty generations may begin again."""

    parts: dict[int, dict[str, frozenset[TopicPartition]]] = field(factory=dict)
    _times_empty: int = 0  # how often the group has been empty
    _asked_at: dict[str, int] = field(factory=dict)  # the same when a client asked for its part

    def wanted(self, client: Client, effect: object) -> None:
        if isinstance(effect, cfx.SendSyncGroup):
            self._asked_at[client.name] = self._times_empty

    def heard(self, client: Client, effect: object, answer: object) -> Iterator[str]:
        if not isinstance(effect, cfx.SendSyncGroup) or not isinstance(answer, cev.SyncAnswered):
            return
        if self._asked_at.get(client.name, 0) < self._times_empty:
            return  # a client that wakes hears late of a generation whose number was given again since
        holder = effect.instance_id or effect.member_id
        parts = self.parts.setdefault(effect.generation, {})
        for other, had in parts.items():
            both = had & answer.partitions
            if other != holder and both:
                yield f"in generation {effect.generation} {holder} and {other} have {sorted(both)}, both"
        parts[holder] = parts.get(holder, NOTHING) | answer.partitions

    def begin_again(self) -> None:
        self.parts.clear()
        self._times_empty += 1


@define
class Refusals:
    """Which clients the coordinator refused for good, by name; until they are let in."""

    codes: dict[str, int] = field(factory=dict)

    def wanted(self, client: Client, effect: object) -> None:
        name = client.name.partition("/")[0]
        if isinstance(effect, RaiseToApplication) and effect.fatal:
            self.codes[name] = effect.code
        if isinstance(effect, PublishEpoch) and effect.member_epoch > 0:
            self.codes.pop(name, None)

    def by_policy(self, group: Group, policy: MigrationPolicy) -> set[str]:
        """The clients that the policy keeps out: a classic group with members is not to be upgraded."""
        if policy.upgrades or group.classic is None or not group.classic.members:
            return set()
        return {name for name, code in self.codes.items() if code == ErrorCode.GROUP_ID_NOT_FOUND}


def is_empty(group: Group) -> bool:
    """Whether it has no members of either protocol."""
    return not group.members and (group.classic is None or not group.classic.members)


def counted_members(group: Group) -> set[str]:
    """The ids of the members, whichever protocol the group is of."""
    return set(group.members) | (set() if group.classic is None else set(group.classic.members))


def group_epoch(group: Group) -> int:
    return group.epoch if group.classic is None else group.classic.generation


def two_readers(
    clients: Iterable[Client], watches: Mapping[str, Watch], group: Group, names: Mapping[TopicId, str]
) -> Iterator[str]:
    """Each partition that two of a classic group work on, both members that have synced in its generation.

    A static member that does not join in time stays a member of the next generation (KIP-345), and learns of that from
    its next heartbeat; what it commits until then is refused. It has what it had until it gives that up in the
    generation that it has synced in next.
    """
    if group.classic is None:
        return
    readers: dict[TopicIdPartition, str] = {}
    for client in clients:
        watch = watches[client.name]
        if client.is_dead or client.member_id not in group.classic.members or not isinstance(watch, ClassicWatch):
            continue
        if watch.published_epoch != group.classic.generation or watch.has_missed_one:
            continue
        for partition in sorted(watch.working_on):
            if partition in readers:
                where = format_topic_ids([partition], names)
                yield f"{readers[partition]} and {client.name} work on {where}, and both are counted as members"
            readers[partition] = client.name
