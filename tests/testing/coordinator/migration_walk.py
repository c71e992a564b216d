"""Random walks of a group that changes its protocol: what its members do and believe, and what must hold."""

from __future__ import annotations

from attrs import define, field
from hypothesis import strategies as st

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import (
    MemberSubscription,
    decode_assignment,
    decode_subscription,
    encode_assignment,
    encode_subscription,
)
from kafka_nextgen.groups.leaving import LeaveGroup, LeavingMember
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.classic.requests import Heartbeat, JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import HeartbeatAnswer, JoinGroupAnswer, SyncGroupAnswer
from kafka_nextgen.testing.coordinator.describe import state_of
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.types import TopicPartition
from tests.testing.coordinator.stage import GROUP
from tests.testing.coordinator.walk_steps import ParkingWalk, step

CLIENTS = ["A", "B", "C", "D", "E"]
INSTANCES = {"D": "one", "E": "two"}
FOO = frozenset(TopicPartition("foo", number) for number in range(6))
NOTHING: frozenset[TopicPartition] = frozenset()
COOPERATIVE = "cooperative-sticky"


@define
class Client:
    """A member as itself sees it; ``epoch`` is its generation if it speaks the classic protocol."""

    name: str
    speaks: str = ""  # nothing, "classic" or "consumer"
    member_id: str = ""
    epoch: int = 0
    told: frozenset[TopicPartition] = NOTHING
    owned: frozenset[TopicPartition] = NOTHING
    is_in: bool = False  # has been told what it is to own at its epoch
    is_watched: bool = False  # and is kept to it, as long as the coordinator knows
    has_joined: bool = False
    waits_for: int | None = None
    members: tuple[tuple[str, bytes], ...] = ()  # whom to assign to

    def start_over(self) -> None:
        """Join next, having lost everything."""
        self.epoch, self.told, self.owned = 0, NOTHING, NOTHING
        self.is_in, self.is_watched, self.has_joined, self.waits_for = False, False, False, None


@define
class Walk(ParkingWalk):
    strategy: str
    clients: dict[str, Client] = field(factory=lambda: {name: Client(name) for name in CLIENTS})
    was_consumer_group: bool = False

    def begin(self) -> None:
        self.stage.set_topic("foo", len(FOO))
        for name in CLIENTS[:3]:
            self.start(name, "classic")
        self.rounds(4)

    def start(self, name: str, protocol: str) -> None:
        """Come by a protocol; one that is there by the other one is restarted."""
        client = self.clients[name]
        if client.speaks not in ("", protocol):
            self.stop(name)
        if not client.speaks:
            self.last_number += 1
            client.speaks = protocol
            client.member_id = f"{name}-{self.last_number}" if protocol == "consumer" else ""
            client.start_over()
        self.go_on(name)

    def stop(self, name: str) -> None:
        """Close as clients do: a static member of the classic protocol says nothing."""
        client, instance_id = self.clients[name], INSTANCES.get(name)
        if client.speaks == "consumer" and client.epoch > 0:
            self._heartbeat(client, -1 if instance_id is None else -2, None)
        elif client.speaks == "classic" and client.member_id and instance_id is None:
            self.released(self.stage.ask(LeaveGroup(GROUP, (LeavingMember(client.member_id),))))
        self.die(name)

    def die(self, name: str) -> None:
        client = self.clients[name]
        client.speaks, client.member_id = "", ""
        client.start_over()

    def go_on(self, name: str) -> None:
        """Do what a member does next."""
        client = self.clients[name]
        if client.speaks == "consumer":
            client.owned = client.told
            self._heartbeat(client, client.epoch, client.owned)
        elif client.speaks == "classic" and client.waits_for is None:
            (self._keep if client.is_in else self._sync if client.has_joined else self._join)(client)

    # The consumer protocol.

    def _heartbeat(self, client: Client, epoch: int, owned: frozenset[TopicPartition] | None) -> None:
        outcome = self.stage.ask(self._request(client, epoch, owned))
        self.released(outcome)
        assert isinstance(outcome.response, ConsumerGroupHeartbeatAnswer)
        self._take(client, epoch, outcome.response)

    def _request(self, client: Client, epoch: int, owned: frozenset[TopicPartition] | None) -> ConsumerGroupHeartbeat:
        joins = epoch == 0
        return ConsumerGroupHeartbeat(
            GROUP,
            client.member_id,
            epoch,
            instance_id=INSTANCES.get(client.name),
            rebalance_timeout_ms=30_000 if joins else -1,
            subscribed_topics=frozenset({"foo"}) if joins else None,
            owned=None if owned is None else self.stage.coordinator.topics.with_ids(owned),
        )

    def _take(self, client: Client, epoch: int, answer: ConsumerGroupHeartbeatAnswer) -> None:
        if answer.error is ErrorCode.UNKNOWN_SERVER_ERROR:  # a failed upgrade, which members take for fatal
            self.die(client.name)
        elif answer.error is not ErrorCode.NONE:
            client.start_over()
        elif epoch >= 0:
            client.epoch, client.is_in, client.is_watched = answer.member_epoch, True, True
            if answer.assignment is not None:
                client.told = self.stage.coordinator.topics.with_names(answer.assignment)

    # The classic protocol.

    def _join(self, client: Client) -> None:
        if self.strategy != COOPERATIVE:
            client.owned = NOTHING
        request = JoinGroup(
            number=self.number(client),
            group_id=GROUP,
            member_id=client.member_id,
            protocol_type="consumer",
            protocols=(OfferedProtocol(self.strategy, self._subscription(client)),),
            session_timeout_ms=10_000,
            rebalance_timeout_ms=15_000,
            instance_id=INSTANCES.get(client.name),
            new_member_id=f"{client.name}-{self.last_number}",
        )
        self.put(request)

    def _subscription(self, client: Client) -> bytes:
        return encode_subscription(MemberSubscription(frozenset({"foo"}), client.owned))

    def _sync(self, client: Client) -> None:
        instance_id, parts = INSTANCES.get(client.name), self._shares(client)
        number = self.number(client)
        self.put(SyncGroup(number, GROUP, client.epoch, client.member_id, instance_id, assignments=parts))

    def _keep(self, client: Client) -> None:
        outcome = self.stage.ask(Heartbeat(GROUP, client.epoch, client.member_id, INSTANCES.get(client.name)))
        self.released(outcome)
        assert isinstance(outcome.response, HeartbeatAnswer)
        self._refused(client, outcome.response.error)

    def _shares(self, client: Client) -> tuple[tuple[str, bytes], ...]:
        """In turns; a cooperative leader keeps back what somebody else has to give up first."""
        shares, parts = dict(enumerate(sorted(client.members))), []
        for index, (member_id, metadata) in shares.items():
            share = {partition for partition in FOO if partition.partition % len(shares) == index}
            others = [decode_subscription(said).owned for other, said in client.members if other != member_id]
            if self.strategy == COOPERATIVE:
                share -= frozenset().union(*others) - decode_subscription(metadata).owned
            parts.append((member_id, encode_assignment(frozenset(share))))
        return tuple(parts)

    def hear(self, client: Client, answer: object) -> None:
        if isinstance(answer, JoinGroupAnswer) and answer.error is ErrorCode.NONE:
            client.member_id, client.epoch, client.has_joined = answer.member_id, answer.generation, True
            client.members = tuple((member.member_id, member.metadata) for member in answer.members)
        elif isinstance(answer, SyncGroupAnswer) and answer.error is ErrorCode.NONE:
            before, client.owned = client.owned, decode_assignment(answer.assignment)
            client.is_in = before <= client.owned  # else it has to show, by joining again, that it gave up the rest
            client.has_joined = client.is_in
            client.is_watched = True
        elif isinstance(answer, JoinGroupAnswer | SyncGroupAnswer):
            if answer.error is ErrorCode.MEMBER_ID_REQUIRED:
                assert isinstance(answer, JoinGroupAnswer)
                client.member_id = answer.member_id
            self._refused(client, answer.error)

    def _refused(self, client: Client, error: ErrorCode) -> None:
        if error is ErrorCode.REBALANCE_IN_PROGRESS:
            client.has_joined = client.is_in = False
        elif error in (ErrorCode.ILLEGAL_GENERATION, ErrorCode.UNKNOWN_MEMBER_ID):
            client.member_id = client.member_id if error is ErrorCode.ILLEGAL_GENERATION else ""
            client.start_over()
        elif error is ErrorCode.FENCED_INSTANCE_ID:  # a fail-over brought back who had the place before
            self.die(client.name)
        else:
            assert error in (ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED), error

    # What must hold.

    def check(self) -> None:
        self.stage.check()
        self._check_nobody_works_with_anothers()

    def _check_nobody_works_with_anothers(self) -> None:
        """While a classic group rebalances nobody knows who has what, and after a downgrade but the target. Whoever was
        thrown out learns of it late: in a consumer group a classic member may join by whatever id.
        """
        group, names = self.stage.group, self.stage.coordinator.topics.with_names
        classic, was_downgraded = group.classic, self.was_consumer_group and not group.is_consumer_group
        rebalances = classic is not None and not classic.is_in(ClassicStatus.STABLE)
        self.was_consumer_group = group.is_consumer_group
        for client in self.clients.values():
            is_out = group.is_consumer_group and client.member_id not in group.members
            client.is_watched = client.is_watched and not (rebalances or was_downgraded or is_out)
            current = group.currents.get(client.member_id)
            if client.is_watched and current is not None and current.member_epoch == client.epoch:
                reserved = names(partition for partition, _ in current.assigned + current.pending_revocation)
                assert client.owned <= reserved, f"{client.name} works with what is another's"

    def rounds(self, count: int) -> None:
        for _ in range(count):
            for name in CLIENTS:
                self.go_on(name)
                self.check()
            self.tick(3.0)

    def settle(self) -> None:
        self.rounds(30)
        group, living = self.stage.group, [client for client in self.clients.values() if client.speaks]
        if any(client.speaks == "consumer" for client in living):
            assert state_of(group) == "Stable"
            assert group.members.keys() == {client.member_id for client in living}
        elif living:
            assert group.classic is not None
            assert group.classic.is_in(ClassicStatus.STABLE)
            assert group.classic.members.keys() == {client.member_id for client in living}
        owned = [partition for client in living for partition in client.owned]
        assert len(owned) == len(set(owned))
        # What a leader gave out, or what was still on its way when the group turned, nobody looks at again.
        is_target_of_coordinator = group.is_consumer_group and group.assignment_timestamp_ms > 0
        assert not living or not is_target_of_coordinator or set(owned) == FOO


names = st.sampled_from(CLIENTS)


steps = st.one_of(
    step(Walk.go_on, names),
    step(Walk.rounds, st.integers(1, 3)),
    step(Walk.start, names, st.sampled_from(["classic", "consumer"])),
    step(Walk.start, names, st.sampled_from(["classic", "consumer"])),
    step(Walk.stop, names),
    step(Walk.die, names),
    step(Walk.tick, st.sampled_from([0.0, 1.0, 3.0, 9.0, 16.0, 46.0])),
    step(Walk.fail_over),
)
