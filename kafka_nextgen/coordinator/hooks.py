"""The points at which something beyond Kafka's protocol may attach to a coordinator, in the order of a heartbeat.

The core calls these functions and imports nothing of what is behind them. Without extensions each does nothing, and the
coordinator is Kafka's. ``extensions.hooks`` has the others: assignors in members, members announced ahead, reasons of
rebalances and their history.

What an extension keeps of a group is in ``Group.kept`` (what its records say) and in ``Group.remembered`` (what no
record says), by names of its own; the core reads neither. Fields of Kafka's records, requests and answers that an
extension alone fills are passed on by the core without a look.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from kafka_nextgen.assignors.spec import Metadata
    from kafka_nextgen.coordinator.cause import Cause
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
    from kafka_nextgen.coordinator.timers import Arm, TimerKey, TimerKind
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


@frozen
class ExtensionResponse:
    """An answer that only an extension gives."""


@frozen
class ExtensionRecord:
    """A fact about a group that Kafka has no record for. A coordinator without extensions passes it over."""

    group_id: str


@frozen
class ExpectedInstance:
    """A static member that was announced: until when (milliseconds since the epoch) its place is kept, and whether it
    has come and waits for others.
    """

    instance_id: str
    until_ms: int
    has_joined: bool = False


def _no_server(draft: Draft, request: ExtensionRequest) -> Outcome:
    raise AssertionError(f"this coordinator has no extension that serves {request}")


@frozen(kw_only=True)
class Hooks:
    """One function per point, each with a default that does nothing."""

    # ---- admit

    understand: Callable[[ConsumerGroupHeartbeat, CoordinatorSettings], ConsumerGroupHeartbeat] = lambda request, _: (
        request
    )
    """The heartbeat as this coordinator reads it."""

    refuse_malformed: Callable[[ConsumerGroupHeartbeat], Refusal | None] = lambda *_: None
    """Why the heartbeat can't be meant, whatever the group."""

    refuse_entry: Callable[[ConsumerGroupHeartbeat, Group, CoordinatorSettings], Refusal | None] = lambda *_: None
    """Why the group, be it still a classic one, can't take the member."""

    seats_kept: Callable[[Group, str | None], int] = lambda *_: 0
    """How many places are kept beside the members, but for that of the instance that asks."""

    admit: Callable[[Draft, ConsumerGroupHeartbeat], ConsumerGroupHeartbeat] = lambda _, request: request
    """The heartbeat of a member that is let in, with what was stated for it beforehand."""

    # ---- update

    update: Callable[[MemberMetadata, ConsumerGroupHeartbeat, MemberMetadata], MemberMetadata] = lambda _, __, member: (
        member
    )
    """The member after its heartbeat: from what was known, the request, and what the core makes of both."""

    asks_for_assignment: Callable[[Draft, MemberMetadata, ConsumerGroupHeartbeat], bool] = lambda *_: False
    """Whether a heartbeat asks for a new assignment although the subscription stays; given what was known."""

    asks_by_protocols: Callable[[Group, MemberMetadata, MemberMetadata], bool] = lambda *_: False
    """The same of a classic member's JoinGroup: what was known of it, and what is."""

    # ---- bump the group epoch

    asks_for_rebalance: Callable[[Draft, Update, JoinReason, bool], bool] = lambda *_: False
    """Whether to raise the epoch for what the member stated; the last argument: it took its instance's place."""

    wants_rebalance: Callable[[CoordinatorSettings, JoinReason, bool], bool] = lambda _, __, otherwise: otherwise
    """Whether a classic member that joins again unchanged has the group rebalance; else as the last argument says."""

    with_statement: Callable[[Draft, Cause, JoinReason], Cause] = lambda _, cause, __: cause
    """The cause of a rebalance, with what the member stated."""

    sets_aside: Callable[[Draft, MemberMetadata], bool] = lambda *_: False
    """Whether the member waits for others; then the hook has done all that follows for the epoch."""

    waiting: Callable[[Group], Collection[str]] = lambda _: ()
    """The members that wait for others, and that assignments leave out."""

    rebalance_began: Callable[[Draft, Cause, int | None], None] = lambda *_: None
    """The epoch was raised, or a classic group is to join again; by a cause of that time (milliseconds), or of now."""

    # ---- retarget

    is_urgent: Callable[[Group], bool] = lambda _: False
    """Whether the next target assignment is made before its interval is over."""

    retarget: Callable[[Draft], bool] = lambda _: False
    """Whether a member makes the target assignment that is due, so that the coordinator does not."""

    is_computing: Callable[[Group], bool] = lambda _: False
    """Whether a member is to make the target assignment, or one is looked for."""

    assignment_made: Callable[[Draft], None] = lambda _: None
    """There is a new target, or a classic group's assignment."""

    # ---- answer

    answer: Callable[
        [Draft, ConsumerGroupHeartbeat, MemberMetadata, CurrentMemberAssignment, ConsumerGroupHeartbeatAnswer],
        ConsumerGroupHeartbeatAnswer,
    ] = lambda _, __, ___, ____, answer: answer
    """The answer to a heartbeat, with what else the member is told."""

    common_assignor: Callable[[Group, CoordinatorSettings], str | None] = lambda *_: None
    """The name of the assignor that all members have themselves, as the group is described."""

    expected: Callable[[Group], tuple[ExpectedInstance, ...]] = lambda _: ()
    """The static members that were announced, as the group is described."""

    # ---- members and groups that go

    will_leave: Callable[[Draft, Iterable[MemberMetadata]], None] = lambda *_: None
    """These members are about to be taken out, and do not come back."""

    is_gone: Callable[[Draft, str], None] = lambda *_: None
    """The member is out of the group, or away for a while."""

    let_in_if_alone: Callable[[Draft], None] = lambda _: None
    """Members are gone: let in those that wait for others if nobody else is left."""

    settle: Callable[[Draft], None] = lambda _: None
    """Something changed that members may have waited for."""

    group_ended: Callable[[Draft], None] = lambda _: None
    """The consumer group is taken back, be it to become a classic one."""

    group_deleted: Callable[[Draft], None] = lambda _: None
    """Nothing is to be kept under the group's name."""

    keeps_group: Callable[[Group], bool] = lambda _: False
    """Whether an empty group without offsets is kept."""

    # ---- classic members

    hold_join: Callable[[Draft, JoinGroup], bool] = lambda *_: False
    """Whether the JoinGroup is held until others have come, and parked so long (``ClassicGroup.held``)."""

    send_back_held: Callable[[Draft], None] = lambda _: None
    """Have those whose JoinGroup is held join again."""

    left: Callable[[Draft, Sequence[LeftMember]], Sequence[LeftMember]] = lambda _, left: left
    """What became of those that a LeaveGroup names, whom it may also have named before they came."""

    carried_assignor: Callable[[ClassicGroup, ConsumerGroupHeartbeat, CoordinatorSettings], str | None] = lambda *_: (
        None
    )
    """The assignor whose word to classic members outlives an upgrade by the member that comes."""

    carried_metadata: Callable[[bytes], Metadata | None] = lambda _: None
    """That word, in a classic member's assignment; raises ``DecodeError``."""

    protocol_for: Callable[[Group, Sequence[OfferedProtocol]], str] = lambda _, offered: offered[0].name
    """By which of its protocols a classic member of a consumer group reads what it is given."""

    protocols_told: Callable[[Group, Sequence[str]], Sequence[str]] = lambda _, names: names[:1]
    """Which of its protocols a classic member of a consumer group may have been told to use."""

    user_data: Callable[[Group, str, str | None, Sequence[OfferedProtocol]], bytes | None] = lambda *_: None
    """What goes to a classic member beside its partitions, by the protocol it reads."""

    # ---- requests, records and timers of its own

    serve: Callable[[Draft, ExtensionRequest], Outcome] = _no_server
    """Serve a request that Kafka does not have."""

    apply: Callable[[Group, ExtensionRecord], None] = lambda *_: None
    """Take in a record that Kafka does not have."""

    count_member: Callable[[Group, MemberMetadata, int], None] = lambda *_: None
    """A member's record is in force (+1), or no more (-1)."""

    timers: Set[TimerKind] = frozenset()
    """The timers that are an extension's."""

    ring: Callable[[Draft, Arm], None] = lambda *_: None
    """One of these has run out."""

    violations: Callable[[Group, Set[TimerKey]], Iterator[str]] = lambda *_: iter(())
    """What must hold of the group besides, and does not; the second argument has the timers that run."""


NO_EXTENSIONS = Hooks()
