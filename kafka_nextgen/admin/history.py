"""Why a group rebalanced, as recorded by its coordinator: an extension that Apache Kafka's coordinators lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.admin.values import GroupType
from kafka_nextgen.errors import UnsupportedProtocolError
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.requests.extensions import consumer_group_history
from kafka_nextgen.transport.cluster import Coordinator
from kafka_nextgen.types import JoinReason, RebalanceReason
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HISTORY

if TYPE_CHECKING:
    from kafka_nextgen.admin.requests import AdminCall
    from kafka_nextgen.groups.extensions.records import Rebalance

__all__ = ["PastRebalance", "describe_history", "past_rebalance"]


@frozen
class PastRebalance:
    """A rebalance of a group, as recorded by its coordinator.

    ``number`` counts the rebalances of the group. ``member_id`` and ``instance_id`` belong to the member that caused
    it, if any; ``stated`` is the reason that the member stated, ``text`` its free text (KIP-800) or other details.
    ``caused_at`` and ``assigned_at`` are in seconds since the Unix epoch. ``epoch`` is the resulting group epoch, in a
    classic group the generation; ``target_epoch`` the epoch of the first assignment that takes the cause into account,
    None like ``assigned_at`` until there is one. Causes that follow each other closely share an assignment.
    """

    number: int
    reason: RebalanceReason
    member_id: str | None
    instance_id: str | None
    stated: JoinReason
    text: str
    type: GroupType
    epoch: int
    target_epoch: int | None
    caused_at: float
    assigned_at: float | None

    @property
    def delay_s(self) -> float | None:
        """The time from the cause to the assignment; None until there is one."""
        return None if self.assigned_at is None else self.assigned_at - self.caused_at

    def __str__(self) -> str:
        """The epoch and the cause, such as ``epoch 3: member-7 left``."""
        cause = Cause(self.reason, self.member_id or "", self.instance_id, self.stated, self.text)
        return f"epoch {self.epoch}: {cause}"


async def describe_history(call: AdminCall, group_id: str) -> tuple[PastRebalance, ...]:
    """Return the rebalances of the group, oldest first.

    Raises GroupNotFoundError, UnsupportedProtocolError if the coordinator keeps no history, and the errors of
    ``AdminCall.send``.
    """
    try:
        described = await call.send(
            f"group {group_id}: reading its history",
            Coordinator(group_id),
            CONSUMER_GROUP_HISTORY,
            build=lambda version: consumer_group_history.to_request(group_id),
            read=consumer_group_history.from_response,
            error_in=lambda described: (described.error, described.message),
        )
    except UnsupportedProtocolError as missing:
        text = f"group {group_id}: its coordinator keeps no history ({missing}); check the coordinator's log instead"
        raise UnsupportedProtocolError(text, code=missing.code, group=group_id) from missing
    return tuple(past_rebalance(rebalance) for rebalance in described.rebalances)


def past_rebalance(rebalance: Rebalance) -> PastRebalance:
    """Return the rebalance as administrators see it."""
    cause, assigned_at_ms = rebalance.cause, rebalance.assigned_at_ms
    return PastRebalance(
        number=rebalance.number,
        reason=cause.reason,
        member_id=cause.member_id or None,
        instance_id=cause.instance_id,
        stated=cause.stated,
        text=cause.text,
        caused_at=rebalance.caused_at_ms / 1000,
        type=GroupType.CLASSIC if rebalance.is_classic else GroupType.CONSUMER,
        epoch=rebalance.epoch,
        target_epoch=rebalance.target_epoch,
        assigned_at=None if assigned_at_ms is None else assigned_at_ms / 1000,
    )
