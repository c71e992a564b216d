"""Random walks of a classic group: what its members do and believe, and what must hold."""

from __future__ import annotations

from attrs import define, field
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.leaving import LeaveGroup, LeavingMember
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.classic.requests import Heartbeat, JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import HeartbeatAnswer, JoinGroupAnswer, SyncGroupAnswer
from kafka_nextgen.testing.coordinator.requests import OffsetCommit
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.testing.coordinator.stage import GROUP
from tests.testing.coordinator.walk_steps import ParkingWalk, step

CLIENTS = ["A", "B", "C", "D", "E"]
INSTANCES = {"C": "one", "D": "two", "E": "two"}  # two of the same name fight for it
PARTITIONS = frozenset(range(6))
FOO_0 = TopicPartition("foo", 0)
OFFERS = [("range",), ("range", "sticky"), ("range", "roundrobin")]  # a fail-over leaves but the one that was chosen


@define
class Client:
    """A member as itself sees it. ``waits_for`` is the number of its request that is under way."""

    name: str
    member_id: str = ""
    generation: int = -1
    lives: bool = False
    waits_for: int | None = None
    leads: tuple[str, ...] | None = None  # the members it is to assign to
    has_joined: bool = False
    owned: frozenset[int] | None = None
    protocols: tuple[str, ...] = ("range",)
    said: int = 0

    def start_over(self) -> None:
        """Join next, having lost everything."""
        self.generation, self.owned, self.has_joined, self.leads, self.waits_for = -1, None, False, None, None


@define
class Walk(ParkingWalk):
    version: int
    clients: dict[str, Client] = field(factory=lambda: {name: Client(name) for name in CLIENTS})

    def begin(self) -> None:
        for name in CLIENTS[:3]:
            self.start(name, ("range",))

    def go_on(self, name: str) -> None:
        """Do what a member does next."""
        client = self.clients[name]
        if not client.lives or client.waits_for is not None:
            return
        if client.owned is not None:
            self._heartbeat(client)
        elif client.has_joined:
            self._sync(client)
        else:
            self._join(client)

    def start(self, name: str, protocols: tuple[str, ...]) -> None:
        client = self.clients[name]
        if not client.lives:
            client.lives, client.member_id, client.protocols = True, "", protocols
            client.start_over()
        self.go_on(name)

    def die(self, name: str) -> None:
        """Without a word, be its request parked or not."""
        client = self.clients[name]
        client.lives, client.member_id = False, ""
        client.start_over()

    def repeat(self, name: str) -> None:
        """An answer got lost, or takes too long: ask the same again."""
        client = self.clients[name]
        if client.lives and client.waits_for is not None:
            client.waits_for = None
            (self._sync if client.has_joined else self._join)(client)

    def resubscribe(self, name: str, protocols: tuple[str, ...]) -> None:
        client = self.clients[name]
        if client.lives and client.owned is not None:
            client.protocols, client.said = protocols, client.said + 1
            client.start_over()
            self.go_on(name)

    def leave(self, name: str, by_instance: bool) -> None:
        client = self.clients[name]
        instance_id = INSTANCES.get(name)
        who = LeavingMember("", instance_id) if by_instance and instance_id else LeavingMember(client.member_id)
        self.released(self.stage.ask(LeaveGroup(GROUP, (who, who))))
        self.die(name)

    def mumble(self, name: str, generation: int, as_instance: str | None) -> None:
        """A message from the past, or from a liar; nobody hears the answer."""
        member_id = self.clients[name].member_id
        self.released(self.stage.ask(Heartbeat(GROUP, generation, member_id, as_instance)))
        self.released(self.stage.ask(SyncGroup(0, GROUP, generation, "stranger", as_instance)))
        offsets = {FOO_0: OffsetAndMetadata(1)}
        self.released(self.stage.ask(OffsetCommit(GROUP, offsets, member_id, generation, as_instance)))

    # What is said, and heard.

    def _join(self, client: Client) -> None:
        metadata = str(client.said).encode()
        client.leads, client.has_joined = None, False
        request = JoinGroup(
            number=self.number(client),
            group_id=GROUP,
            member_id=client.member_id,
            protocol_type="consumer",
            protocols=tuple(OfferedProtocol(name, metadata) for name in client.protocols),
            session_timeout_ms=10_000,
            rebalance_timeout_ms=15_000,
            instance_id=INSTANCES.get(client.name),
            version=self.version,
            new_member_id=f"{client.name}-{self.last_number}",
        )
        self.put(request)

    def _sync(self, client: Client) -> None:
        members = client.leads or ()
        parts = tuple((member, _part(index, len(members))) for index, member in enumerate(members))
        instance_id = INSTANCES.get(client.name)
        number = self.number(client)
        self.put(SyncGroup(number, GROUP, client.generation, client.member_id, instance_id, assignments=parts))

    def _heartbeat(self, client: Client) -> None:
        instance_id = INSTANCES.get(client.name)
        outcome = self.stage.ask(Heartbeat(GROUP, client.generation, client.member_id, instance_id))
        self.released(outcome)
        assert isinstance(outcome.response, HeartbeatAnswer)
        self._refused(client, outcome.response.error)

    def hear(self, client: Client, answer: object) -> None:
        if isinstance(answer, JoinGroupAnswer):
            self._joined(client, answer)
        elif isinstance(answer, SyncGroupAnswer):
            self._synced(client, answer)

    def _joined(self, client: Client, answer: JoinGroupAnswer) -> None:
        if answer.error in (ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED):
            client.member_id = answer.member_id
        if answer.error is not ErrorCode.NONE:
            self._refused(client, answer.error)
            return
        client.generation, client.has_joined, client.owned = answer.generation, True, None
        assign = answer.leader_id == answer.member_id and not answer.skip_assignment
        client.leads = tuple(member.member_id for member in answer.members) if assign else None

    def _synced(self, client: Client, answer: SyncGroupAnswer) -> None:
        if answer.error is ErrorCode.NONE:
            client.owned = frozenset(answer.assignment)
        else:
            self._refused(client, answer.error)

    def _refused(self, client: Client, error: ErrorCode) -> None:
        if error in (ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.ILLEGAL_GENERATION, ErrorCode.MEMBER_ID_REQUIRED):
            client.start_over()
        elif error is ErrorCode.UNKNOWN_MEMBER_ID:
            client.member_id = ""
            client.start_over()
        elif error is ErrorCode.FENCED_INSTANCE_ID:
            self.die(client.name)
        else:
            assert error is ErrorCode.NONE, error

    # What must hold.

    def check(self) -> None:
        self.stage.check()
        group = self.stage.group.classic
        if group is None:
            return
        parked = {number for member in group.in_order() for number in (member.join, member.sync) if number is not None}
        parked |= {request.number for request in group.held.values()}
        assert parked <= self.asked_by.keys(), "whoever is parked waits"
        waiting = {client.waits_for for client in self.clients.values()} - {None}
        assert waiting <= parked, "whoever waits is parked"
        owned = [c.owned for c in self.clients.values() if c.owned and c.generation == group.generation]
        assert sum(map(len, owned)) == len(frozenset().union(*owned)), "a partition has two owners in one generation"

    def settle(self) -> None:
        """No more disturbances: the living do what members do."""
        for _ in range(60):
            for name in CLIENTS:
                self.go_on(name)
                self.check()
            self.tick(1.0)
        group = self.stage.group.classic
        living = {client.member_id: client for client in self.clients.values() if client.lives}
        if group is None or not living:
            assert group is None or group.is_in(ClassicStatus.EMPTY)
            return
        assert group.is_in(ClassicStatus.STABLE)
        assert living.keys() == group.members.keys()
        assert {client.generation for client in living.values()} == {group.generation}
        assert frozenset().union(*(client.owned or () for client in living.values())) == PARTITIONS


def _part(index: int, count: int) -> bytes:
    return bytes(partition for partition in sorted(PARTITIONS) if partition % count == index)


names = st.sampled_from(CLIENTS)
offers = st.sampled_from(OFFERS)


steps = st.one_of(
    step(Walk.go_on, names),
    step(Walk.go_on, names),
    step(Walk.go_on, names),
    step(Walk.start, names, offers),
    step(Walk.die, names),
    step(Walk.repeat, names),
    step(Walk.resubscribe, names, offers),
    step(Walk.leave, names, st.booleans()),
    step(Walk.mumble, names, st.integers(-1, 6), st.none() | st.sampled_from(["one", "two", "three"])),
    step(Walk.tick, st.sampled_from([0.0, 1.0, 3.0, 9.0, 16.0])),
    step(Walk.fail_over),
)
