"""The points at which something beyond Kafka's protocol may attach to a coordinator, in the order of a heartbeat.

The core calls these methods and imports nothing of what is behind them. As they stand here they do nothing, and the
coordinator is Kafka's. ``extensions.hooks`` has the others: assignors in members, members announced ahead, reasons of
rebalances and their history.

What extensions keep of a group is in ``Group.kept`` (what their records say, by names of their own) and in
``Group.remembered`` (what no record says); the core reads neither. Fields of Kafka's records, requests and answers that
extensions alone fill it passes on without a look.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from kafka_nextgen.assignors.spec import Metadata
    from kafka_nextgen.codes import ErrorCode
    from kafka_nextgen.coordinator.cause import Cause, EpochCause
    from kafka_nextgen.coordinator.classic.group import ClassicGroup
    from kafka_nextgen.coordinator.classic.requests import JoinGroup, OfferedProtocol
    from kafka_nextgen.coordinator.classic.responses import LeftMember
    from kafka_nextgen.coordinator.draft import Draft, Outcome, Refusal
    from kafka_nextgen.coordinator.group import Group
    from kafka_nextgen.coordinator.records import CurrentMemberAssignment, MemberMetadata
    from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
    from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer
    from kafka_nextgen.coordinator.settings import CoordinatorSettings
    from kafka_nextgen.coordinator.subscriptions import Update
    from kafka_nextgen.coordinator.timers import Arm, TimerKind
    from kafka_nextgen.types import JoinReason

__all__ = [
    "NO_EXTENSIONS",
    "ExpectedInstance",
    "ExtensionRecord",
    "ExtensionRequest",
    "ExtensionResponse",
    "Hooks",
]


@frozen
class ExtensionRequest:
    """A request about one group that only an extension serves."""

    group_id: str

    def refused(self, error: ErrorCode) -> ExtensionResponse:
        """The answer where it can't be served."""
        raise NotImplementedError


@frozen
class ExtensionResponse:
    """An answer that only an extension gives."""


@frozen
class ExtensionRecord:
    """A fact about a group that Kafka has no record for. A coordinator without extensions passes it over."""

    group_id: str

    @property
    def tells_cause(self) -> EpochCause | None:
        """Why the group rebalanced, if the record tells that."""
        return None


@frozen
class ExpectedInstance:
    """A static member that was announced: until when (milliseconds since the epoch) its place is kept, and whether it
    has come and waits for others.
    """

    instance_id: str
    until_ms: int
    has_joined: bool = False


class Hooks:
    """One method per point. These do nothing."""

    # ---- admit

    def understand(self, request: ConsumerGroupHeartbeat, settings: CoordinatorSettings) -> ConsumerGroupHeartbeat:
        """The heartbeat as this coordinator reads it."""
        return request

    def refuse_malformed(self, request: ConsumerGroupHeartbeat) -> Refusal | None:
        """Why the heartbeat can't be meant, whatever the group."""
        return None

    def refuse_entry(
        self, request: ConsumerGroupHeartbeat, group: Group, settings: CoordinatorSettings
    ) -> Refusal | None:
        """Why the group, be it still a classic one, can't take the member."""
        return None

    def seats_kept(self, group: Group, instance_id: str | None) -> int:
        """How many places are kept beside the members, but for this instance's own."""
        return 0

    def admit(self, draft: Draft, request: ConsumerGroupHeartbeat) -> ConsumerGroupHeartbeat:
        """The heartbeat of a member that is let in, with what was stated for it beforehand."""
        return request

    # ---- update

    def update(self, known: MemberMetadata, request: ConsumerGroupHeartbeat, member: MemberMetadata) -> MemberMetadata:
        """The member after its heartbeat, which was ``known`` before; ``member`` is what the core makes of it."""
        return member

    def asks_for_assignment(self, draft: Draft, known: MemberMetadata, request: ConsumerGroupHeartbeat) -> bool:
        """Whether the heartbeat asks for a new assignment although the subscription stays."""
        return False

    def asks_by_protocols(self, group: Group, known: MemberMetadata, member: MemberMetadata) -> bool:
        """Whether a classic member's JoinGroup does."""
        return False

    # ---- bump the group epoch

    def asks_for_rebalance(self, draft: Draft, update: Update, stated: JoinReason, is_back: bool) -> bool:
        """Whether to raise the epoch for what the member stated; ``is_back`` if it took its instance's place."""
        return False

    def wants_rebalance(self, settings: CoordinatorSettings, stated: JoinReason, otherwise: bool) -> bool:
        """Whether a classic member that joins again unchanged has the group rebalance, as it would ``otherwise``."""
        return otherwise

    def with_statement(self, draft: Draft, cause: Cause, stated: JoinReason) -> Cause:
        """The cause of a rebalance, with what the member stated."""
        return cause

    def sets_aside(self, draft: Draft, member: MemberMetadata) -> bool:
        """Whether the member waits for others; then the hook has done all that follows for the epoch."""
        return False

    def members_waiting(self, group: Group) -> Collection[str]:
        """The members that wait for others, and that assignments leave out."""
        return ()

    def rebalance_began(self, draft: Draft, cause: Cause, caused_at_ms: int | None) -> None:
        """The epoch was raised, or a classic group is to join again, by a cause of that time or, without, of now."""

    # ---- retarget

    def is_urgent(self, group: Group) -> bool:
        """Whether the next target assignment is made before its interval is over."""
        return False

    def retarget(self, draft: Draft) -> bool:
        """Whether a member makes the target assignment that is due, so that the coordinator does not."""
        return False

    def is_computing(self, group: Group) -> bool:
        """Whether a member is to make the target assignment, or one is looked for."""
        return False

    def assignment_made(self, draft: Draft) -> None:
        """There is a new target, or a classic group's assignment."""

    # ---- answer

    def answer(
        self,
        draft: Draft,
        request: ConsumerGroupHeartbeat,
        member: MemberMetadata,
        current: CurrentMemberAssignment,
        answer: ConsumerGroupHeartbeatAnswer,
    ) -> ConsumerGroupHeartbeatAnswer:
        """The answer to a heartbeat, with what else the member is told."""
        return answer

    def common_assignor(self, group: Group, settings: CoordinatorSettings) -> str | None:
        """The name of the assignor that all members have themselves, as the group is described."""
        return None

    def expected(self, group: Group) -> tuple[ExpectedInstance, ...]:
        """The static members that were announced. A group that expects some is kept, be it empty."""
        return ()

    # ---- members and groups that go

    def members_leaving(self, draft: Draft, members: Iterable[MemberMetadata]) -> None:
        """These members are about to be taken out, and do not come back."""

    def member_gone(self, draft: Draft, member_id: str) -> None:
        """The member is out of the group, or away for a while."""

    def let_in_if_alone(self, draft: Draft) -> None:
        """Members are gone: let in those that wait for others if nobody else is left."""

    def settle(self, draft: Draft) -> None:
        """Something changed that members may have waited for."""

    def group_ended(self, draft: Draft) -> None:
        """The consumer group is taken back, be it to become a classic one."""

    def group_deleted(self, draft: Draft) -> None:
        """Nothing is to be kept under the group's name."""

    # ---- classic members

    def hold_join(self, draft: Draft, request: JoinGroup) -> bool:
        """Whether the JoinGroup is held until others have come, and parked so long (``ClassicGroup.held``)."""
        return False

    def send_back_held(self, draft: Draft) -> None:
        """Have those whose JoinGroup is held join again."""

    def leave_results(self, draft: Draft, left: Sequence[LeftMember]) -> Sequence[LeftMember]:
        """What became of those that a LeaveGroup names, whom it may also have named before they came."""
        return left

    def carried_assignor(
        self, classic: ClassicGroup, request: ConsumerGroupHeartbeat, settings: CoordinatorSettings
    ) -> str | None:
        """The assignor whose word to classic members outlives an upgrade by the member that comes."""
        return None

    def carried_metadata(self, assignment: bytes) -> Metadata | None:
        """That word, in a classic member's assignment. Raises ``DecodeError``."""
        return None

    def protocol_for(self, group: Group, supported: Sequence[OfferedProtocol]) -> str:
        """By which of its protocols a classic member of a consumer group reads what it is given."""
        return supported[0].name

    def protocols_told(self, group: Group, names: Sequence[str]) -> Sequence[str]:
        """Which of its protocols a classic member of a consumer group may have been told to use."""
        return names[:1]

    def user_data(
        self, group: Group, member_id: str, protocol: str | None, supported: Sequence[OfferedProtocol]
    ) -> bytes | None:
        """What goes to a classic member beside its partitions, by the protocol it reads."""
        return None

    # ---- requests, records and timers of its own

    timers: Set[TimerKind] = frozenset()

    def serve(self, draft: Draft, request: ExtensionRequest) -> Outcome:
        """Serve a request that Kafka does not have."""
        raise AssertionError(f"this coordinator has no extension that serves {request}")

    def apply(self, group: Group, record: ExtensionRecord) -> None:
        """Take in a record that Kafka does not have."""

    def count_member(self, group: Group, member: MemberMetadata, by: int) -> None:
        """A member's record is in force (+1), or no more (-1)."""

    def ring(self, draft: Draft, timer: Arm) -> None:
        """One of the ``timers`` of its own has run out."""


NO_EXTENSIONS = Hooks()
