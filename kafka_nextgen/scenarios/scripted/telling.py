"""How the requests of a member of a classic group are told."""

from __future__ import annotations

from kafka_nextgen.membership.classic.effects import (
    AskForTopics,
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
)
from kafka_nextgen.scenarios.scripted.client import Request
from kafka_nextgen.types import format_partitions

__all__ = ["tell_question", "tell_request"]


def tell_request(name: str, request: Request) -> str:
    """``A -> sync id=A generation=2``."""
    match request:
        case SendJoinGroup():
            said = _join(request)
        case SendSyncGroup():
            said = " ".join(["sync", f"generation={request.generation}", *_shares(request)])
        case SendClassicHeartbeat():
            said = f"heartbeat generation={request.generation}"
        case SendLeaveGroup():
            said = f"leave id={request.member_id} reason={request.reason}"
    return f"{name} -> {said}"


def _join(request: SendJoinGroup) -> str:
    said = request.subscription
    fields = {
        "id": request.member_id or None,
        "instance": request.instance_id,
        "topics": " ".join(sorted(said.topics)) or "-",
        "owns": format_partitions(said.owned) if said.owned else None,
        "generation": said.generation if said.generation >= 0 else None,
        "reason": request.reason,
    }
    return " ".join(["join", *(f"{key}={value}" for key, value in fields.items() if value is not None)])


def _shares(request: SendSyncGroup) -> list[str]:
    return [f"{member_id}={format_partitions(share)}" for member_id, share in request.assignments]


def tell_question(name: str, question: AskForTopics) -> str:
    """``A asks for foo pattern=f.*``."""
    pattern = "" if question.pattern is None else f" pattern={question.pattern}"
    return f"   {name} asks for {' '.join(sorted(question.topics)) or '-'}{pattern}"
