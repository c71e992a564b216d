"""How the requests of a member of a classic group are told."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.assignors.spec import AssignorMetadata
from kafka_nextgen.assignors.user_data import AssignorWord, MemberWord, read_assignor_word, read_member_word
from kafka_nextgen.membership.classic.effects import (
    AskForTopics,
    MemberPart,
    Offer,
    RaiseAssignorFailed,
    RunAssignor,
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
    TellAssignor,
)
from kafka_nextgen.types import JoinReason, TopicIdPartition, format_partitions, format_topic_ids
from tests.verification.scenario_language.assignor_words import write_assignor_word, write_member_word
from tests.verification.scenario_language.scripted.client import Request

#: What an application has a member state. That topics changed a leader states by itself, and its reason says so.
_OWN_REASONS = (JoinReason.RESTART, JoinReason.UPGRADE)


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
        "says": " ".join(_said(request.offers)) or None,
        "reason": request.reason,
        "states": request.join_reason.name.lower() if request.join_reason in _OWN_REASONS else None,
    }
    return " ".join(["join", *(f"{key}={value}" for key, value in fields.items() if value is not None)])


def _said(offers: tuple[Offer, ...]) -> Iterator[str]:
    """The words to assignors that the application brings: ``mine!v1:heavy``."""
    for offer in offers:
        word = read_member_word(offer.user_data)
        if not word.is_foreign:
            yield f"{offer.strategy}!{write_member_word(word)}"


def _shares(request: SendSyncGroup) -> list[str]:
    return [f"{part.member_id}={format_partitions(part.partitions)}{_word(part)}" for part in request.assignments]


def _word(part: MemberPart) -> str:
    word = write_assignor_word(read_assignor_word(part.user_data))
    return f"!{word}" if word else ""


def tell_question(name: str, question: AskForTopics) -> str:
    """``A asks for foo pattern=f.*``, and ``and the group`` if it wants the assignment, too."""
    pattern = "" if question.pattern is None else f" pattern={question.pattern}"
    group = " and the group" if question.with_parts else ""
    return f"   {name} asks for {' '.join(sorted(question.topics)) or '-'}{pattern}{group}"


def tell_run(name: str, run: RunAssignor) -> Iterator[str]:
    """``A runs mine``, and whom it assigns: ``B!v1:heavy topics=foo owns=foo[0]``."""
    yield f"   {name} runs {run.assignor}"
    names = {topic_id: topic.name for topic_id, topic in run.group.topics.items()}
    for member_id, member in run.group.members.items():
        said = write_member_word(MemberWord(AssignorMetadata(member.reason, member.metadata)))
        owned = format_topic_ids(
            (TopicIdPartition(i, n) for i, numbers in member.target.items() for n in numbers), names
        )
        yield f"      {member_id}!{said} topics={' '.join(sorted(member.subscribed_topics))} owns={owned}"


def tell_own_assignor(name: str, effect: TellAssignor | RaiseAssignorFailed) -> str:
    """``A on_assignment mine foo[0] generation=2 v1:light``, or what is raised."""
    if isinstance(effect, RaiseAssignorFailed):
        return f"   {name} raises AssignorError of {effect.assignor}, which {effect.leader_id} ran: {effect.why}"
    partitions, word = format_partitions(effect.partitions), AssignorWord(effect.error, effect.metadata)
    said = " ".join(filter(None, (partitions, f"generation={effect.generation}", write_assignor_word(word))))
    return f"   {name} on_assignment {effect.assignor} {said}"
