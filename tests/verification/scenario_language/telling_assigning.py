"""How the computing of an assignment is told: what heartbeats' answers say of it, and its two requests."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.assignors.spec import AssignmentSpec, AssignorMetadata
from kafka_nextgen.assignors.user_data import AssignorWord, MemberWord
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.topic_partitions import flatten
from kafka_nextgen.membership.assigning import effects as fx
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentInstalled, AssignmentPrepared
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from tests.verification.scenario_language.assignor_words import write_assignor_word, write_member_word
from tests.verification.scenario_language.telling import Write


def tell_besides(answer: ConsumerGroupHeartbeatAnswer, write: Write) -> str:
    """What an answer says only to members with assignors of their own."""
    said = write_assignor_word(AssignorWord(answer.assignment_error, answer.assignment_metadata))
    told = [
        "compute" if answer.should_compute else "",
        f"pending={write(answer.pending)}" if answer.pending else "",
        f"says={said}" if said else "",
    ]
    return "".join(f" {each}" for each in told if each)


def tell_complaint(name: str, answer: ConsumerGroupHeartbeatAnswer) -> Iterator[str]:
    if answer.assignment_message is not None:
        yield f"   {name} is told: {answer.assignment_message}"


def tell_installed(name: str, answer: AssignmentInstalled) -> str:
    """``-> A installed``, or why not."""
    if answer.error is ErrorCode.NONE:
        return f"-> {name} installed"
    told = f": {answer.message}" if answer.error is ErrorCode.INVALID_ASSIGNMENT else ""
    return f"-> {name} {answer.error.name}{told}"


def tell_prepared(name: str, answer: AssignmentPrepared) -> str:
    """``-> A prepared epoch=7 mine of foo:2``, or why not."""
    if answer.error is not ErrorCode.NONE:
        return f"-> {name} {answer.error.name}"
    topics = " ".join(f"{topic.name}:{topic.num_partitions}" for topic in answer.topics.values())
    return f"-> {name} prepared epoch={answer.group_epoch} {answer.assignor} of {topics or '-'}"


def tell_sent(name: str, request: fx.SendPrepare | fx.SendInstall, write: Write) -> str:
    """``A -> prepare epoch=5``, or ``A -> install epoch=5 of=7 A=foo[0]!v1:light B=-``."""
    if isinstance(request, fx.SendPrepare):
        return f"{name} -> prepare epoch={request.member_epoch}"
    fields = [f"epoch={request.member_epoch}", f"of={request.group_epoch}"]
    fields += [f"error={request.error}"] if request.error else []
    fields += [f"message={request.message}"] if request.message is not None else []
    for member_id, share in sorted(request.members.items()):
        word = write_assignor_word(AssignorWord(0, share.metadata))
        fields.append(f"{member_id}={write(flatten(share.partitions))}" + (f"!{word}" if word else ""))
    return " ".join([f"{name} -> install", *fields])


def tell_computation(name: str, assignor: str, group: AssignmentSpec, write: Write) -> Iterator[str]:
    """``A computes with mine``, and whom it assigns: ``B!v1:heavy target=foo[0]``."""
    yield f"   {name} computes with {assignor}"
    for member_id, member in sorted(group.members.items()):
        said = write_member_word(MemberWord(AssignorMetadata(member.reason, member.metadata)))
        yield f"      {member_id}!{said} target={write(flatten(member.target))}"


def tell_on_assignment(name: str, call: fx.CallOnAssignment, write: Write) -> str:
    """``A on_assignment mine foo[0] epoch=5 v1:light/e2``."""
    word = write_assignor_word(AssignorWord(call.error, call.assignment.metadata))
    share = write(flatten(call.assignment.partitions))
    said = [f"   {name} on_assignment {call.assignor} {share} epoch={call.group.member_epoch}", word]
    return " ".join(each for each in said if each)
