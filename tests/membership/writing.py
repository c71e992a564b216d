"""Effects of a member written as one line each, with topic names instead of ids and no numbers.

Partition sets use the notation of the whole project: ``orders[0-3] audit[0]``, ``-`` for none.
"""

from __future__ import annotations

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.codes import name_of
from kafka_nextgen.membership.effects import (
    ApplyAssignment,
    CallOnAssigned,
    CallOnLost,
    CallOnRevoked,
    CommitConsumed,
    Effect,
    FindCoordinator,
    Left,
    PublishEpoch,
    RaiseToApplication,
    ResolveTopics,
    SendHeartbeat,
    StopFetching,
)
from kafka_nextgen.types import TopicId, TopicIdPartition, format_partitions, format_topic_ids

NAMES = {TopicId(int=number): name for number, name in enumerate(("orders", "audit", "ghost"), start=1)}
IDS = {name: topic_id for topic_id, name in NAMES.items()}


def partitions(text: str) -> frozenset[TopicIdPartition]:
    """Read ``orders[0-3,7] audit[0]``; ``-`` is the empty set."""
    found = set()
    for part in text.replace("-", "", text == "-").split():
        topic, _, ranges = part.rstrip("]").partition("[")
        for run in ranges.split(","):
            low, _, high = run.partition("-")
            found |= {TopicIdPartition(IDS[topic], number) for number in range(int(low), int(high or low) + 1)}
    return frozenset(found)


CONCERNING_PARTITIONS = {
    StopFetching: "stop",
    CallOnRevoked: "on_revoked",
    CallOnAssigned: "on_assigned",
    CallOnLost: "on_lost",
}


def written(effect: Effect) -> str:
    if type(effect) in CONCERNING_PARTITIONS:
        return f"{CONCERNING_PARTITIONS[type(effect)]} {format_partitions(effect.partitions)}"
    match effect:
        case SendHeartbeat():
            return _heartbeat(effect)
        case CommitConsumed():
            return f"commit by={effect.deadline:g}"
        case ApplyAssignment():
            assert {name for name, _ in effect.topic_ids} == {tp.topic for tp in effect.partitions}
            return f"apply {format_partitions(effect.partitions)} added={format_partitions(effect.added)}"
        case ResolveTopics():
            return f"resolve {','.join(sorted(NAMES[topic_id] for topic_id in effect.topic_ids))}"
        case PublishEpoch():
            return f"publish epoch={effect.member_epoch}"
        case RaiseToApplication():
            return f"raise {name_of(effect.code)}{' fatal' if effect.fatal else ''}"
        case FindCoordinator():
            return "find coordinator"
        case Left():
            return "left"
    raise AssertionError(f"there is no way to write {effect}")


def _heartbeat(effect: SendHeartbeat) -> str:
    fields = {
        "rack": effect.rack_id,
        "instance": effect.instance_id,
        "timeout": None if effect.rebalance_timeout_ms == -1 else effect.rebalance_timeout_ms,
        "topics": None if effect.subscribed_topics is None else ",".join(effect.subscribed_topics),
        "pattern": effect.subscribed_pattern,
        "assignor": effect.server_assignor,
        "assignors": None if effect.client_assignors is None else ",".join(map(_said, effect.client_assignors)),
        "owned": None if effect.owned is None else format_topic_ids(effect.owned, NAMES),
        "standby": effect.standby_state.name.lower() if effect.standby_state else None,
    }
    said = [f"{name}={value}" for name, value in fields.items() if value is not None]
    return " ".join([f"heartbeat epoch={effect.member_epoch}", *(["full"] if effect.full else []), *said])


def _said(assignor: ClientAssignor) -> str:
    """``mine:word``, with the reason behind it if there is one."""
    reason = f":{assignor.reason}" if assignor.reason else ""
    return f"{assignor.name}:{assignor.metadata.payload.decode()}{reason}"
