"""Who this consumer is to its group right now: what every commit and offset fetch carries."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from attrs import frozen

from kafka_nextgen.types import TopicPartition

__all__ = ["ConsumerGroupMetadata", "Identity"]


@frozen
class ConsumerGroupMetadata:
    """A member as a transactional producer names it; epoch -1 and no member id while it is in no group."""

    group_id: str
    member_epoch: int
    member_id: str
    instance_id: str | None = None


class Identity:
    """The member id and epoch last published by the member, and a way to wait for the next ones.

    ``life`` changes whenever the member falls out of the group: what it owned in one life is not its to commit in
    the next. ``turn`` changes whenever partitions are given up: a commit from before that is not to be repeated for
    them after, for somebody else may have gone on from there.
    """

    def __init__(self, group_id: str, instance_id: str | None) -> None:
        self.group_id = group_id
        self.instance_id = instance_id
        self.member_id = ""
        self.member_epoch = -1
        self.belongs = False  # subscribed: a member, or about to be one, and no stranger to the group
        self.life = 0
        self.turn = 0
        self._given_up: dict[TopicPartition, int] = {}
        self._changed = asyncio.Event()

    def __str__(self) -> str:
        if self.belongs or self.member_epoch >= 0:
            return f"member {self.member_id or '-'} at epoch {self.member_epoch}"
        return "a consumer that is no member (a group that has members takes commits from those only)"

    def publish(self, member_id: str, member_epoch: int) -> None:
        """Take over what the member says it is; epoch -1 means that it is in no group."""
        if member_epoch < 0 <= self.member_epoch:
            self.life += 1
        self.member_id = member_id if member_epoch >= 0 else ""
        self.member_epoch = member_epoch
        self._changed.set()
        self._changed = asyncio.Event()

    @property
    def may_commit(self) -> bool:
        """Whether it makes sense to commit now: as a member, or as a stranger, but not between two memberships."""
        return self.member_epoch >= 0 or not self.belongs

    def give_up(self, partitions: Iterable[TopicPartition]) -> None:
        """Note that these are being given up."""
        self.turn += 1
        self._given_up.update(dict.fromkeys(partitions, self.turn))

    def given_up_since(self, turn: int, partitions: Iterable[TopicPartition]) -> set[TopicPartition]:
        """Those of ``partitions`` that were given up after ``turn``."""
        return {tp for tp in partitions if self._given_up.get(tp, 0) > turn}

    def as_metadata(self) -> ConsumerGroupMetadata:
        """The same as a value."""
        return ConsumerGroupMetadata(self.group_id, self.member_epoch, self.member_id, self.instance_id)

    async def wait_for_change(self, from_epoch: int, timeout_s: float) -> bool:
        """Wait until the epoch is another than ``from_epoch``; whether it came to that within ``timeout_s``."""
        if self.member_epoch != from_epoch:
            return True
        try:
            await asyncio.wait_for(self._changed.wait(), timeout_s)
        except asyncio.TimeoutError:
            return False
        return self.member_epoch != from_epoch
