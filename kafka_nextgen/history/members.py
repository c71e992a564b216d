"""The members of one group: who is in, who flaps, and what kept each of them busy.

A member is in from ``joined``, or from its first assignment in a log that begins in the middle, until ``left`` or
``fenced``. Several sources may tell of these; the first one counts. Members that are out are kept for a while, because
they may come back under the same id. The longest gone are then summed up, so memory does not grow with a group's churn.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heapify, heappop, heappush

from attrs import Factory, define

from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, Event, Kind
from kafka_nextgen.history.facts import MemberSummary
from kafka_nextgen.history.scope import Scope

__all__ = ["BUSY", "GOING_ON", "POLL_TIMEOUT", "Member", "Members"]

#: The cause of ``fenced`` and ``lost`` where the application did not poll within ``max.poll.interval.ms``.
POLL_TIMEOUT = "poll timeout"
#: What a member may be busy with, the most exact first: a commit inside of a callback is a commit.
BUSY = ("commit", "callback", "processing")

#: The mark of a group with a member that some source took for gone, and that went on.
GOING_ON = "out, and going on"
#: What happened before another thing may be told so much later (ms), by another source.
_LATE_MS = 10_000

_BUSY_BY_KIND = {Kind.COMMITTED: "commit", Kind.CALLBACK: "callback", Kind.POLL_GAP: "processing"}
_KEPT_OUT = 1_000
_KEPT_SPELLS = 1_000


@define
class Member:
    """What is known of a member."""

    member: str
    first: int
    last: int
    is_in: bool = False
    epoch: int = -1
    entered: int | None = None  # when it joined, if the log saw that
    known_epoch: int = -1  # the latest of its stay, though it may have no assignment of it
    out_epoch: int = -1
    out_at: int | None = None
    back_at: int | None = None  # when it was seen again after that, without having joined
    instance: str | None = None
    client: str | None = None
    host: str | None = None
    joined: int = 0
    left: int = 0
    fenced: int = 0
    poll_timeouts: int = 0
    is_timed_out: bool = False  # in this stay
    is_said_to_have_left: bool = False
    longest_poll_gap_ms: int = 0
    callback_ms: int = 0
    errors: int = 0
    spells: deque[tuple[str, int, int]] = Factory(lambda: deque(maxlen=_KEPT_SPELLS))  # busy with what, from, to

    def note(self, event: Event) -> None:
        """Take what any event tells of a member."""
        self.last = max(self.last, event.at)
        self.instance = event.instance or self.instance
        self.client = event.client or self.client
        self.host = event.host or self.host
        if event.ms is not None and event.kind in _BUSY_BY_KIND:
            spell = (_BUSY_BY_KIND[event.kind], event.at - event.ms, event.at)
            if not self.spells or self.spells[-1] != spell:  # a commit has an event to each partition
                self.spells.append(spell)


class Members:
    """All of them, by id."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._members: dict[str, Member] = {}
        self._out: dict[str, None] = {}  # the longest gone first
        self._ever = 0
        self._inside: dict[str, Member] = {}
        self._by_epoch: list[tuple[int, str]] = []  # a heap; what is not so any more is passed over

    @property
    def ever(self) -> int:
        """How many there were."""
        return self._ever

    @property
    def inside(self) -> int:
        """How many are in the group."""
        return len(self._inside)

    def lowest_epoch(self, of_none: int) -> int:
        """The lowest epoch of those in the group; ``of_none`` if there are none."""
        while self._by_epoch:
            epoch, member_id = self._by_epoch[0]
            member = self._inside.get(member_id)
            if member is not None and member.epoch == epoch:
                return epoch
            heappop(self._by_epoch)
        return of_none

    def come_to(self, member: Member, epoch: int) -> None:
        """It is at this epoch."""
        member.epoch = epoch
        if len(self._by_epoch) > 4 * len(self._inside) + 64:
            self._by_epoch = [(each.epoch, each.member) for each in self._inside.values()]
            heapify(self._by_epoch)
        heappush(self._by_epoch, (epoch, member.member))

    def is_in(self, member: str | None) -> bool:
        """Whether it is in the group."""
        return member in self._inside

    def get(self, event: Event) -> Member | None:
        """The member that the event is about, if it is about one."""
        if event.member is None:
            return None
        member = self._members.get(event.member)
        if member is None:
            self._ever += 1
            member = self._members[event.member] = Member(event.member, event.at, event.at)
        member.note(event)
        return member

    def is_new(self, member: Member, event: Event) -> bool:
        """Whether nothing was told of it before this time."""
        return member.first == event.at and not member.joined

    def join(self, member: Member, event: Event) -> None:
        """It is in the group now, if it was not."""
        member.known_epoch = max(member.known_epoch, event.epoch or -1)
        if event.cause == BEGINS_IN_THE_MIDDLE:
            self.note_missing(member)
            self._enter(member, None)
            return
        if member.back_at is not None and event.at <= member.back_at + _LATE_MS:
            member.back_at = None
        if not member.is_in:
            member.joined += 1
            self._enter(member, event.at)

    def meet(self, member: Member, event: Event) -> bool:
        """It owns something, so it is in the group; if it never joined, the log begins in the middle.

        False if it is out, and the event is of its time before: it may have come late, and says nothing of now.
        """
        if member.is_in:
            return True
        if event.epoch is not None and event.epoch <= member.out_epoch:
            return False
        if member.joined:
            member.back_at = event.at
        self.note_missing(member)
        self._enter(member, None)
        return True

    def commit(self, member: Member, event: Event) -> None:
        """It committed, which only members of the group can do."""
        if not member.is_in and member.out_at is not None and event.at > member.out_at + _LATE_MS:
            self._scope.marks.add(GOING_ON)

    def note_missing(self, member: Member) -> None:
        """It ends what it never began."""
        if not member.is_in and not member.joined:
            self._scope.marks.add(BEGINS_IN_THE_MIDDLE)

    def _enter(self, member: Member, at: int | None) -> None:
        if not member.is_in:
            member.entered = at
        member.is_in = True
        member.is_timed_out = False
        self._inside[member.member] = member
        self.come_to(member, member.epoch)
        self._out.pop(member.member, None)

    def leave(self, member: Member, event: Event, *, is_fenced: bool) -> bool:
        """It is out of the group; False if it was already.

        One source may tell only that it is gone, another that it was put out.
        """
        if not member.is_in:
            self._note_put_out(member, is_fenced)
            return False
        member.is_in = False
        member.out_epoch = max(member.epoch, member.known_epoch, event.epoch or -1)
        member.out_at = event.at
        member.epoch = -1
        del self._inside[member.member]
        member.fenced += is_fenced
        member.left += not is_fenced
        member.is_said_to_have_left = not is_fenced
        self._out[member.member] = None
        self._forget_longest_gone()
        return True

    def _note_put_out(self, member: Member, is_fenced: bool) -> None:
        if is_fenced and member.is_said_to_have_left:
            member.left -= 1
            member.fenced += 1
            member.is_said_to_have_left = False

    def time_out(self, member: Member) -> None:
        """Some source says that its application did not poll in time; counted once a stay."""
        member.poll_timeouts += not member.is_timed_out
        member.is_timed_out = True

    def _forget_longest_gone(self) -> None:
        while len(self._out) > _KEPT_OUT:
            gone = next(iter(self._out))
            del self._out[gone]
            self._sum_up(self._members.pop(gone))

    def finish(self) -> None:
        """Sum all of them up."""
        for member in self._members.values():
            self._sum_up(member)

    def _sum_up(self, member: Member) -> None:
        scope = self._scope
        if member.back_at is not None:
            scope.marks.add(GOING_ON)
        scope.facts.append(
            MemberSummary(
                scope.cluster,
                scope.group,
                member.member,
                member.instance,
                member.client,
                member.host,
                member.first,
                member.last,
                member.joined,
                member.left,
                member.fenced,
                member.poll_timeouts,
                member.longest_poll_gap_ms,
                member.callback_ms,
                member.errors,
            )
        )


def note_poll_gap(member: Member, event: Event) -> None:
    """The application did not poll for a while."""
    member.longest_poll_gap_ms = max(member.longest_poll_gap_ms, event.ms or 0)


def note_callback(member: Member, event: Event) -> None:
    """A callback ran; it may have raised."""
    member.callback_ms += event.ms or 0


def note_error(member: Member, event: Event) -> None:
    """Something went wrong."""
    member.errors += 1


#: What else a kind of event means for its member.
NOTES: dict[Kind, Callable[[Member, Event], None]] = {
    Kind.POLL_GAP: note_poll_gap,
    Kind.CALLBACK: note_callback,
    Kind.ERROR: note_error,
}
