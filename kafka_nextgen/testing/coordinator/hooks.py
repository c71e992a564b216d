"""The hooks by which extensions beyond Kafka's protocol attach to a coordinator, in the order of a heartbeat.

The core calls these methods and imports no implementation. The defaults here do nothing, so the coordinator behaves
like Kafka's. ``extensions.hooks`` implements client-side assignors, members announced before they join or leave,
standbys, and rebalance causes with their history.

Extensions keep their group state in ``Group.kept`` (recorded) and in ``Group.remembered`` (not recorded), and what
they know about the topics in ``Topics.remembered``; the core reads none of them. It passes on, without reading them,
the fields of Kafka's records, requests and answers that only extensions fill.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, TypeVar

from kafka_nextgen.groups.described import DescribedLeaver, ExpectedInstance
from kafka_nextgen.groups.extension_requests import ExtensionRequest
from kafka_nextgen.types import StandbyState

if TYPE_CHECKING:
    from kafka_nextgen.assignors.spec import Metadata
    from kafka_nextgen.groups.cause import Cause
    from kafka_nextgen.groups.leaving import LeftMember
    from kafka_nextgen.groups.offered_protocol import OfferedProtocol
    from kafka_nextgen.groups.records import CurrentMemberAssignment, ExtensionRecord, MemberMetadata
    from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember
    from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
    from kafka_nextgen.testing.coordinator.draft import Draft, Outcome, Refusal
    from kafka_nextgen.testing.coordinator.group import Group
    from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
    from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
    from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
    from kafka_nextgen.testing.coordinator.subscriptions import Update
    from kafka_nextgen.testing.coordinator.timers import Arm, TimerKind
    from kafka_nextgen.testing.coordinator.topics import Topics
    from kafka_nextgen.types import JoinReason

    R = TypeVar("R", ConsumerGroupHeartbeat, JoinGroup)

__all__ = [
    "NO_EXTENSIONS",
    "Hooks",
]


class Hooks:
    """One method per hook. These do nothing."""

    # ---- admit

    def understand(self, request: R, settings: CoordinatorSettings) -> R:
        """The heartbeat or JoinGroup as this coordinator interprets it."""
        return request

    def refuse_malformed(self, request: ConsumerGroupHeartbeat) -> Refusal | None:
        """Why the heartbeat is invalid for any group, or None."""
        return None

    def refuse_entry(
        self, request: ConsumerGroupHeartbeat, group: Group, settings: CoordinatorSettings
    ) -> Refusal | None:
        """Why the group, which may still be classic, can't accept the member, or None."""
        return None

    def seats_kept(self, group: Group, instance_id: str | None) -> int:
        """How many places are kept for instances other than this one that have not joined."""
        return 0

    def admit(self, draft: Draft, request: ConsumerGroupHeartbeat) -> ConsumerGroupHeartbeat:
        """The heartbeat of an admitted member, completed with its pre-registered values."""
        return request

    # ---- update

    def update(self, known: MemberMetadata, request: ConsumerGroupHeartbeat, member: MemberMetadata) -> MemberMetadata:
        """The member after its heartbeat; ``known`` is its former metadata, ``member`` the core's update of it."""
        return member

    def asks_for_assignment(self, draft: Draft, known: MemberMetadata, request: ConsumerGroupHeartbeat) -> bool:
        """Whether the heartbeat requests a new assignment although the subscription is unchanged."""
        return False

    def asks_by_protocols(self, group: Group, known: MemberMetadata, member: MemberMetadata) -> bool:
        """Whether a classic member's JoinGroup requests a new assignment although the subscription is unchanged."""
        return False

    # ---- bump the group epoch

    def asks_for_rebalance(self, draft: Draft, update: Update, stated: JoinReason, is_back: bool) -> bool:
        """Whether to raise the epoch for the member's join reason.

        ``is_back`` says whether it took its instance's place.
        """
        return False

    def wants_rebalance(self, stated: JoinReason, otherwise: bool) -> bool:
        """Whether a classic member that rejoins unchanged makes the group rebalance; ``otherwise`` is the default."""
        return otherwise

    def minds_subscription(self, stated: JoinReason) -> bool:
        """Whether a static member that returns to a classic group with another subscription makes it rebalance."""
        return False

    def with_statement(self, draft: Draft, cause: Cause, stated: JoinReason) -> Cause:
        """The cause of a rebalance, with the member's join reason."""
        return cause

    def sets_aside(self, draft: Draft, member: MemberMetadata, stated: StandbyState = StandbyState.UNKNOWN) -> bool:
        """Whether the member waits or stands by; if so, the hook has already updated the group epoch if needed.

        ``stated`` is what the member's heartbeat says of its readiness as a standby.
        """
        return False

    def members_waiting(self, group: Group) -> Collection[str]:
        """The members that wait for expected instances or stand by. Assignments leave them out."""
        return ()

    def rebalance_began(self, draft: Draft, cause: Cause, caused_at_ms: int | None) -> None:
        """The epoch was raised, or a classic group began to rebalance. ``caused_at_ms`` None means now."""

    # ---- retarget

    def is_urgent(self, group: Group) -> bool:
        """Whether the next target assignment is made before its interval ends."""
        return False

    def retarget(self, draft: Draft) -> bool:
        """Whether a member, and not the coordinator, makes the target assignment that is due."""
        return False

    def is_computing(self, group: Group) -> bool:
        """Whether a member should make the target assignment, even if none is chosen yet."""
        return False

    def assignment_made(self, draft: Draft) -> None:
        """A new target assignment, or a classic group's assignment, was made."""

    # ---- answer

    def answer(
        self,
        draft: Draft,
        request: ConsumerGroupHeartbeat,
        member: MemberMetadata,
        current: CurrentMemberAssignment,
        answer: ConsumerGroupHeartbeatAnswer,
    ) -> ConsumerGroupHeartbeatAnswer:
        """The answer to a heartbeat, with the extensions' fields."""
        return answer

    def common_assignor(self, group: Group, settings: CoordinatorSettings) -> str | None:
        """The client-side assignor that all members have, for descriptions of the group."""
        return None

    def standby_place(self, group: Group, member_id: str) -> int:
        """The member's place among the standbys, 1 for the one that takes over first; 0 if it is active."""
        return 0

    def standby_state(self, group: Group, member_id: str) -> StandbyState:
        """Whether the standby is ready to take over; unknown if the member is active."""
        return StandbyState.UNKNOWN

    def expected(self, group: Group) -> tuple[ExpectedInstance, ...]:
        """The pre-registered static members. A group that expects some is kept even if it is empty."""
        return ()

    def leaving(self, group: Group) -> tuple[DescribedLeaver, ...]:
        """The members that are announced to leave, with those that have left and wait for the others."""
        return ()

    # ---- members and groups that leave

    def members_leaving(self, draft: Draft, members: Iterable[MemberMetadata]) -> None:
        """These members are about to be removed permanently."""

    def members_removed(self, draft: Draft, members: Sequence[MemberMetadata], cause: Cause | None) -> Cause | None:
        """These members of a consumer group are about to be removed. ``cause`` is None if the epoch does not change,
        because no assignment counted them. Returns the cause, with the additions of the extensions, or None if the
        epoch changes later, because more members are announced to leave.
        """
        return cause

    def defers_rebalance(self, draft: Draft, left: Collection[ClassicMember | None]) -> bool:
        """Whether a classic group rebalances later for members that have left, because more are announced to leave.
        None is a pending member.
        """
        return False

    def member_absent(self, draft: Draft, member: MemberMetadata) -> None:
        """A static member left temporarily."""

    def instance_came_back(self, draft: Draft, former_id: str, member_id: str) -> None:
        """A static member is back, and takes its former member's place."""

    def member_gone(self, draft: Draft, member_id: str) -> None:
        """The member was removed, or left temporarily."""

    def let_in_if_alone(self, draft: Draft) -> None:
        """Members were removed: if only waiting members are left, admit them."""

    def settle(self, draft: Draft) -> None:
        """The group changed: waiting members may no longer have to wait."""

    def group_ended(self, draft: Draft) -> None:
        """The consumer group is removed, or becomes a classic one."""

    def group_deleted(self, draft: Draft) -> None:
        """The group is deleted: remove all state under its id."""

    # ---- classic members

    def hold_join(self, draft: Draft, request: JoinGroup) -> bool:
        """Whether the JoinGroup is parked until expected instances have joined (``ClassicGroup.held``)."""
        return False

    def send_back_held(self, draft: Draft) -> None:
        """Instruct the members whose JoinGroup is held to join again."""

    def leave_results(self, draft: Draft, left: Sequence[LeftMember]) -> Sequence[LeftMember]:
        """The results of a LeaveGroup, which may also name instances that have not joined yet."""
        return left

    def carried_assignor(
        self, classic: ClassicGroup, request: ConsumerGroupHeartbeat, settings: CoordinatorSettings
    ) -> str | None:
        """The assignor whose user data for classic members is kept in an upgrade by the joining member."""
        return None

    def carried_metadata(self, assignment: bytes) -> Metadata | None:
        """That user data, from a classic member's assignment. Raises ``DecodeError``."""
        return None

    def protocol_for(self, group: Group, supported: Sequence[OfferedProtocol]) -> str:
        """The protocol by which a classic member of a consumer group reads its assignment."""
        return supported[0].name

    def protocols_told(self, group: Group, names: Sequence[str]) -> Sequence[str]:
        """The protocols that a classic member of a consumer group may have been instructed to use."""
        return names[:1]

    def user_data(
        self, group: Group, member_id: str, protocol: str | None, supported: Sequence[OfferedProtocol]
    ) -> bytes | None:
        """The user data for a classic member's assignment, by the protocol it reads."""
        return None

    # ---- topics

    def topics_changed(self, before: Topics, after: Topics) -> Mapping[str, object]:
        """What to remember with the changed topics, until the next change."""
        return {}

    # ---- the extensions' own requests, records and timers

    timers: Set[TimerKind] = frozenset()

    def serve(self, draft: Draft, request: ExtensionRequest) -> Outcome:
        """Serve a request that Kafka does not have."""
        raise AssertionError(f"this coordinator has no extension that serves {request}")

    def apply(self, group: Group, record: ExtensionRecord) -> None:
        """Apply a record that Kafka does not have."""

    def count_member(self, group: Group, member: MemberMetadata, by: int) -> None:
        """A member's record was applied (+1) or removed (-1)."""

    def ring(self, draft: Draft, timer: Arm) -> None:
        """One of the extensions' timers has expired."""


NO_EXTENSIONS = Hooks()
