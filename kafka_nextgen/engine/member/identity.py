"""Who this consumer is to its group right now."""

from __future__ import annotations

from attrs import define

from kafka_nextgen.assignors.spec import ConsumerGroupMetadata

__all__ = ["ConsumerGroupMetadata", "Identity"]


@define
class Identity:
    """The member id and epoch last published by the member; may be read from any thread."""

    group_id: str
    instance_id: str | None
    member_id: str = ""
    member_epoch: int = -1
    belongs: bool = False  # subscribed: a member, or about to be one, and no stranger to the group

    def __str__(self) -> str:
        if self.member_epoch >= 0:
            return f"member {self.member_id or '-'} at epoch {self.member_epoch}"
        if self.belongs:
            return "a consumer that has not joined its group (yet, or again)"
        return "a consumer that is no member (a group that has members takes commits from those only)"

    def publish(self, member_id: str, member_epoch: int) -> None:
        """Take over what the member says it is; epoch -1 means that it is in no group."""
        self.member_id = member_id if member_epoch >= 0 else ""
        self.member_epoch = member_epoch

    def as_metadata(self) -> ConsumerGroupMetadata:
        """The same as a value."""
        return ConsumerGroupMetadata(self.group_id, self.member_epoch, self.member_id, self.instance_id)
