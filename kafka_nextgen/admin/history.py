"""What a group rebalanced for, as its coordinator remembers it: an extension that Apache Kafka's coordinators lack."""

from __future__ import annotations

from kafka_nextgen.admin.asking import Asking, Question
from kafka_nextgen.admin.values import GroupType, PastRebalance
from kafka_nextgen.bridge.extensions import consumer_group_history
from kafka_nextgen.coordinator.extensions.records import Rebalance
from kafka_nextgen.errors import UnsupportedProtocolError
from kafka_nextgen.transport.cluster import Coordinator
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HISTORY
from kafka_nextgen.wire.messages import ConsumerGroupHistoryResponse

__all__ = ["describe_history"]


async def describe_history(asking: Asking, group_id: str, deadline: Deadline) -> tuple[PastRebalance, ...]:
    """The rebalances of the group, the oldest first. Raises GroupNotFoundError, UnsupportedProtocolError where the
    coordinator keeps no history, and what ``Asking.ask`` does.
    """
    question = Question(
        about=f"group {group_id}: its history",
        target=Coordinator(group_id),
        api=CONSUMER_GROUP_HISTORY,
        build=lambda version: consumer_group_history.to_request(group_id),
        answer=ConsumerGroupHistoryResponse,
        refusal=lambda answer: (answer.error_code, answer.error_message),
    )
    try:
        told = consumer_group_history.from_response(await asking.ask(question, deadline))
    except UnsupportedProtocolError as missing:
        text = (
            f"group {group_id}: its coordinator keeps no history ({missing}); look into the coordinator's log instead"
        )
        raise UnsupportedProtocolError(text, code=missing.code, group=group_id) from missing
    return tuple(_past(rebalance) for rebalance in told.rebalances)


def _past(rebalance: Rebalance) -> PastRebalance:
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
