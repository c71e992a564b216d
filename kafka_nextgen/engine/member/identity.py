"""The identity of this consumer in its group."""

from __future__ import annotations

from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.lazy_attrs import define, frozen

__all__ = ["MemberIdentity"]


@frozen
class _Membership:
    """Immutable, and replaced as a whole, because another thread reads it."""

    member_id: str
    epoch: int
    losses: int


_NEVER = _Membership("", -1, 0)


@define
class MemberIdentity:
    """The member id and epoch last published by the member; may be read from any thread."""

    group_id: str
    instance_id: str | None
    member_id: str = ""
    member_epoch: int = -1
    client_id: str = ""
    belongs: bool = False  # subscribed: a member, or about to become one
    _losses: int = 0  # how many times it was fenced or left
    last: _Membership = _NEVER  # the last membership, kept after its end
    polled: _Membership = _NEVER  # ``last`` at the end of the last poll, whose records the application is processing

    def __str__(self) -> str:
        if self.member_epoch >= 0:
            return f"member {self.member_id or '-'} at epoch {self.member_epoch}"
        if self.belongs:
            return "a consumer that has not joined its group (yet, or again)"
        return "a consumer that is not a member (a group with members accepts commits only from its members)"

    def publish(self, member_id: str, member_epoch: int) -> None:
        """Store the published identity; epoch -1 means that the consumer is not in a group."""
        self.member_id = member_id if member_epoch >= 0 else ""
        self.member_epoch = member_epoch
        if member_epoch < 0:
            self._losses += 1
        else:
            self.last = _Membership(member_id, member_epoch, self._losses)

    def as_metadata(self) -> ConsumerGroupMetadata:
        """Identify the member that sends offsets to a transaction for the records being processed.

        After fencing, the old identity stays until the application polls again, even if the consumer has rejoined:
        others may have read the same records in the meantime, so the coordinator must refuse the offsets. Epoch -1
        without an id would not work: coordinators accept these in a transaction without a check (KIP-447).
        """
        last, polled = self.last, self.polled
        known = last if last.losses == polled.losses else polled
        who = known if self.belongs else _NEVER
        return ConsumerGroupMetadata(self.group_id, who.epoch, who.member_id, self.instance_id)
