"""Who or what caused a rebalance, and what went wrong in it, in words: read off the event that told the member.

A member sees its own application and its coordinator. What moved the coordinator (another member that came or went,
a topic that grew) is not in its answers (KIP-848, "ConsumerGroupHeartbeat API"), so it is not guessed here. What only a
member of a classic group is told is in ``classic_reading``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.membership import events as ev

__all__ = ["NOT_POLLED", "error_in", "reason_in", "refused"]

#: A deadline that passed says nothing of itself.
NOT_POLLED = "the application did not poll within max.poll.interval.ms"


def _subscribed(event: ev.Subscribed) -> str:
    if event.matched_by is not None:
        return f"the pattern {event.matched_by} matched {', '.join(sorted(event.topics)) or 'no topic'}"
    what = f"the pattern {event.pattern}" if event.pattern is not None else ", ".join(sorted(event.topics))
    return f"the application subscribed to {what}"


def refused(request: str) -> Callable[[Any], str]:
    """What to say of an event that has a code and may have a message."""

    def say(event: Any) -> str:
        message = getattr(event, "message", None)
        if event.code == ErrorCode.SASL_AUTHENTICATION_FAILED and message:  # no answer: TLS or the login failed
            return f"there is no way to the coordinator: {message}"
        return f"the coordinator answered a {request} with {name_of(event.code)}" + (f": {message}" if message else "")

    return say


_REASONS: Mapping[type, Callable[[Any], str]] = {
    ev.Subscribed: _subscribed,
    ev.Unsubscribed: lambda _: "the application unsubscribed",
    ev.Closed: lambda event: f"the application closed the consumer (leave: {event.leave.value})",
    ev.HeartbeatAnswered: lambda event: f"the coordinator told a new target at epoch {event.member_epoch}",
    ev.HeartbeatRefused: refused("heartbeat"),
    ev.HeartbeatLost: lambda event: f"no heartbeat got through: {event.reason}",
}


def reason_in(event: object) -> str:
    """What the event says of the cause; empty if it says nothing."""
    say = _REASONS.get(type(event))
    return "" if say is None else say(event)


_CALLED: Mapping[type, str] = {
    ev.CommitFinished: "the commit before it failed",
    ev.RevokeFinished: "on_partitions_revoked raised",
    ev.AssignFinished: "on_partitions_assigned raised",
    ev.LossFinished: "on_partitions_lost raised",
}


def error_in(event: object) -> str | None:
    """What the event says went wrong with a callback or with the commit before it; None if nothing did."""
    error: str | None = getattr(event, "error", None)
    what = _CALLED.get(type(event))
    return None if what is None or error is None else f"{what}: {error}"
