"""Rules about several keys, each of which a configuration may break although every value is valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from kafka_nextgen.config.keys import KEYS, ConsumerKeys
from kafka_nextgen.properties.value_types import FRAME_OVERHEAD_BYTES, GroupProtocol

__all__ = ["contradictions"]


def contradictions(config: ConsumerKeys) -> Iterator[tuple[bool, str, str]]:
    """Check each rule: whether it is broken, its message, and the key to change."""
    yield not config.bootstrap_servers, "bootstrap.servers is required: host:port,...", "bootstrap.servers"
    if config.group_id is None:
        yield config.enable_auto_commit, "enable.auto.commit=true needs a group.id", "enable.auto.commit"
        yield config.group_instance_id is not None, "group.instance.id needs a group.id", "group.instance.id"
    if config.group_protocol is GroupProtocol.CLASSIC:
        why = "group.remote.assignor can't be set with group.protocol=classic: use partition.assignment.strategy"
        yield config.group_remote_assignor is not None, why, "group.remote.assignor"
    if config.group_local_assignors:
        yield config.group_id is None, "group.local.assignors needs a group.id", "group.local.assignors"
        why = "group.local.assignors and group.remote.assignor can't both be set: either a member or the broker assigns"
        yield config.group_remote_assignor is not None, why, "group.local.assignors"
    for low, high, margin in _ORDERED:
        low_value, high_value = (cast(int, getattr(config, KEYS[name].attribute)) for name in (low, high))
        rule = f"at least {margin} below" if margin else "at most"
        yield low_value > high_value - margin, f"{low}={low_value} must be {rule} {high}={high_value}", low


#: Pairs of keys whose first value must be at most the second value minus a margin.
_ORDERED = (
    ("fetch.min.bytes", "fetch.max.bytes", 0),
    ("fetch.max.bytes", "receive.message.max.bytes", FRAME_OVERHEAD_BYTES),
    ("fetch.max.wait.ms", "request.timeout.ms", 1),
    ("retry.backoff.ms", "retry.backoff.max.ms", 0),
    ("heartbeat.interval.ms", "session.timeout.ms", 1),
    ("reconnect.backoff.ms", "reconnect.backoff.max.ms", 0),
)
