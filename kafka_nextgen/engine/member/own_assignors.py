"""The assignors of the application's own (``group.local.assignors``), for whoever drives a member of either protocol.

``metadata`` and ``assign`` run on a thread of their own, one after the other; ``on_assignment`` runs where the
application polls, as rebalance callbacks do and before those of the same epoch. What an assignor does wrong is an
``AssignorError`` of the next poll. The same one is not told twice in a row: an assignor that fails will fail again each
time it is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    ClientAssignor,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
)
from kafka_nextgen.engine.mailbox import Mailbox, PendingAssignment
from kafka_nextgen.engine.member.assignor_thread import AssignorThread
from kafka_nextgen.errors import AssignorError
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership.assigning.running import compute, offer_of

__all__ = ["OwnAssignors"]

logger = logger_of("kafka_nextgen.member")


class OwnAssignors:
    """Lives on the I/O thread; ``trouble`` may be read from any thread."""

    def __init__(self, assignors: Sequence[PartitionAssignor], group_id: str, mailbox: Mailbox) -> None:
        self.by_name: Mapping[str, PartitionAssignor] = {assignor.name: assignor for assignor in assignors}
        self.trouble: str | None = None  # what the application was told last, and still holds
        self._group_id = group_id
        self._mailbox = mailbox
        self._thread = AssignorThread(f"kafka_nextgen assignors of {group_id}")

    @property
    def is_busy(self) -> bool:
        """Whether an assignor is at work, so that whatever is asked of it would wait."""
        return self._thread.is_busy

    async def offer(self, name: str) -> ClientAssignor:
        """What one of them says to its peers at this moment. Raises PartitionAssignorError."""
        assignor = self.by_name[name]
        return await self._thread.do(lambda: offer_of(assignor))

    async def compute(self, name: str, group: AssignmentSpec) -> GroupAssignment:
        """Assign the group. Raises PartitionAssignorError, also for what is no assignment of it."""
        assignor = self.by_name[name]
        return await self._thread.do(lambda: compute(assignor, group))

    def call_on_assignment(
        self, name: str, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata
    ) -> None:
        """Have ``on_assignment`` called by the next poll: there is a target, and whatever was wrong is over."""
        self.trouble = None
        self._mailbox.post_callback(PendingAssignment.of(self.by_name[name], error, assignment, group))

    def tell_failure(
        self, why: str, name: str | None, cause: BaseException | None = None, *, of: str = "this member"
    ) -> None:
        """Have the next poll raise AssignorError. Without a ``name``, ``why`` says itself whose it is."""
        error = self.error(why, name, cause, of=of)
        if str(error) == self.trouble:
            return
        self.trouble = str(error)
        logger.error("%s", error, exc_info=cause)
        self._mailbox.post_error(error)

    def error(
        self, why: str, name: str | None, cause: BaseException | None = None, *, of: str = "this member"
    ) -> AssignorError:
        """The error that tells of a failure."""
        what = why if name is None else f"assignor {name!r} of {of} failed: {why}"
        error = AssignorError(f"group {self._group_id}: {what}", assignor=name or "", group=self._group_id)
        error.__cause__ = cause
        return error

    def stop(self) -> None:
        """Ask nothing of them any more."""
        self._thread.stop()
