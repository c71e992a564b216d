"""The members of one group: who is in it, and what each did.

A member is in the group from ``joined``, or from its first assignment in a log that begins in the middle, until
``left`` or ``fenced``. If several sources report one of these, the first one counts. Members that left are kept for a
while, because they may return with the same id. Then they are summarized and forgotten, so that memory does not grow
with the churn of a group.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from attrs import fields

from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, Event
from kafka_nextgen.history.facts import FactCollector, MemberSummary
from kafka_nextgen.history.member import Member

__all__ = ["ACTIVE_AFTER_LEAVING", "Members"]

#: The mark of a group with a member that acted after a source had reported it gone.
ACTIVE_AFTER_LEAVING = "active after leaving"
#: How much later another source may report an earlier event.
_MAX_DELAY_MS = 10_000

_MAX_DEPARTED = 1_000
#: The fields of a summary that ``Member`` has as well.
_SUMMARIZED = tuple(each.name for each in fields(MemberSummary) if each.name not in ("cluster", "group"))


class Members:
    """The members of one group, by id."""

    def __init__(self, facts: FactCollector) -> None:
        self._facts = facts
        self._members: dict[str, Member] = {}
        self._departed: dict[str, None] = {}  # used as an ordered set; the member that left first comes first
        self.total = 0  # all members that were seen
        self._active: dict[str, Member] = {}
        self._by_epoch: list[tuple[int, str]] = []  # a heap with stale entries, which are skipped

    @property
    def active_count(self) -> int:
        """The number of members in the group."""
        return len(self._active)

    def lowest_epoch(self, default: int) -> int:
        """Return the lowest epoch of the members; ``default`` if there are no members."""
        while self._by_epoch:
            epoch, member_id = self._by_epoch[0]
            member = self._active.get(member_id)
            if member is not None and member.epoch == epoch:
                return epoch
            heappop(self._by_epoch)
        return default

    def set_epoch(self, member: Member, epoch: int) -> None:
        """Set the epoch that the member has reached."""
        member.epoch = epoch
        if len(self._by_epoch) > 4 * len(self._active) + 64:
            self._by_epoch = [(each.epoch, each.member) for each in self._active.values()]
            heapify(self._by_epoch)
        heappush(self._by_epoch, (epoch, member.member))

    def is_active(self, member: str | None) -> bool:
        """Return whether the member is in the group."""
        return member in self._active

    def get(self, event: Event) -> Member | None:
        """Return the event's member, updated; None if the event has none."""
        if event.member is None:
            return None
        member = self._members.get(event.member)
        if member is None:
            self.total += 1
            member = self._members[event.member] = Member(event.member, event.at, event.at)
        member.update(event)
        return member

    def is_new(self, member: Member, event: Event) -> bool:
        """Return whether nothing was reported about the member before this event's time."""
        return member.first == event.at and not member.joined

    def join(self, member: Member, event: Event) -> None:
        """Add the member to the group, if it is not in it."""
        member.latest_epoch = max(member.latest_epoch, event.epoch or -1)
        if event.cause == BEGINS_IN_THE_MIDDLE:
            self.mark_missing_start(member)
            self._activate(member, None)
            return
        if member.returned_at is not None and event.at <= member.returned_at + _MAX_DELAY_MS:
            member.returned_at = None
        if not member.is_active:
            member.joined += 1
            self._activate(member, event.at)

    def confirm_active(self, member: Member, event: Event) -> bool:
        """Treat an assigned member as in the group; if it never joined, the log begins in the middle.

        Returns False if the member has left and this is a late event from before that.
        """
        if member.is_active:
            return True
        if event.epoch is not None and event.epoch <= member.left_epoch:
            return False
        if member.joined:
            member.returned_at = event.at
        self.mark_missing_start(member)
        self._activate(member, None)
        return True

    def commit(self, member: Member, event: Event) -> None:
        """Mark the group if a member that left commits, which only members can do."""
        if not member.is_active and member.left_at is not None and event.at > member.left_at + _MAX_DELAY_MS:
            self._facts.marks.add(ACTIVE_AFTER_LEAVING)

    def mark_missing_start(self, member: Member) -> None:
        """Mark the group if the log lacks the beginning of this member."""
        if not member.is_active and not member.joined:
            self._facts.marks.add(BEGINS_IN_THE_MIDDLE)

    def _activate(self, member: Member, at: int | None) -> None:
        if not member.is_active:
            member.joined_at = at
        member.is_active = True
        member.is_timed_out = False
        self._active[member.member] = member
        self.set_epoch(member, member.epoch)
        self._departed.pop(member.member, None)

    def leave(self, member: Member, event: Event, *, is_fenced: bool) -> bool:
        """Remove the member from the group; return False if it had left already.

        If it had left, another source may still report that it was fenced instead.
        """
        if not member.is_active:
            self._correct_to_fenced(member, is_fenced)
            return False
        member.is_active = False
        member.left_epoch = max(member.epoch, member.latest_epoch, event.epoch or -1)
        member.left_at = event.at
        member.epoch = -1
        del self._active[member.member]
        member.fenced += is_fenced
        member.left += not is_fenced
        member.is_reported_left = not is_fenced
        self._departed[member.member] = None
        self._evict_longest_gone()
        return True

    def _correct_to_fenced(self, member: Member, is_fenced: bool) -> None:
        if is_fenced and member.is_reported_left:
            member.left -= 1
            member.fenced += 1
            member.is_reported_left = False

    def time_out(self, member: Member) -> None:
        """Count that the application failed to poll in time, at most once per stay in the group."""
        member.poll_timeouts += not member.is_timed_out
        member.is_timed_out = True

    def _evict_longest_gone(self) -> None:
        while len(self._departed) > _MAX_DEPARTED:
            gone = next(iter(self._departed))
            del self._departed[gone]
            self._emit_summary(self._members.pop(gone))

    def finish(self) -> None:
        """Emit the summaries of all members."""
        for member in self._members.values():
            self._emit_summary(member)

    def _emit_summary(self, member: Member) -> None:
        facts = self._facts
        if member.returned_at is not None:
            facts.marks.add(ACTIVE_AFTER_LEAVING)
        own = {name: getattr(member, name) for name in _SUMMARIZED}
        facts.add(MemberSummary(facts.cluster, facts.group, **own))
