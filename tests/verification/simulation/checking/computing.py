"""Which member may compute a group's target, and what an assignment that it installs has to come to (KIP-848, "Client
Side Mode"): beside ``answers``.

| rule | when it is looked at |
|---|---|
| only a member that has the assignor, and has not failed with it at this epoch, is told to compute | before the \
outcome is in force |
| only the member that was told so may prepare and install | the same |
| an installed assignment is the target of the epoch it was prepared at, and no member has another share | the same |
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.extensions.requests import InstallAssignment, PrepareAssignment
from kafka_nextgen.testing.coordinator.extensions.responses import AssignmentInstalled, AssignmentPrepared
from kafka_nextgen.testing.coordinator.extensions.state import COMPUTING, Computing
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, Request
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer


def asked(group: Group, request: Request, outcome: Outcome) -> Iterator[str]:
    """What is wrong with the outcome of a request, which is not in force yet."""
    answer, computing = outcome.response, COMPUTING.of(group)
    if isinstance(request, ConsumerGroupHeartbeat) and isinstance(answer, ConsumerGroupHeartbeatAnswer):
        yield from _told(group, request, answer, outcome)
    if isinstance(request, PrepareAssignment | InstallAssignment):
        assert isinstance(answer, AssignmentPrepared | AssignmentInstalled), "it is answered so"
        if answer.error is ErrorCode.NONE and request.member_id != computing.member_id:
            yield f"{request.member_id} takes part in a computation that {computing.member_id} is to make"
    made = [each for each in outcome.records if isinstance(each, r.TargetAssignmentMetadata)]
    if isinstance(request, InstallAssignment) and made and computing.prepared is not None:
        yield from _installed(group, request, made[-1], outcome)


def _told(
    group: Group, request: ConsumerGroupHeartbeat, answer: ConsumerGroupHeartbeatAnswer, outcome: Outcome
) -> Iterator[str]:
    if not answer.should_compute:
        return
    remembered = dict(outcome.remembered).get(group.group_id, group.remembered)
    after = COMPUTING.of(evolve(group, remembered=remembered))
    written = [each for each in outcome.records if isinstance(each, r.MemberMetadata)]
    known = next((each for each in reversed(written) if each.member_id == answer.member_id), None)
    member = known or group.members[request.member_id]
    raised = [each.epoch for each in outcome.records if isinstance(each, r.GroupMetadata)]
    if after.assignor not in {each.name for each in member.client_assignors}:
        yield f"{member.member_id} is told to compute with {after.assignor}, and does not have it"
    if _has_failed(COMPUTING.of(group), member.member_id, (raised or [group.epoch])[-1]):
        yield f"{member.member_id} is told to compute, and has failed at this epoch"


def _has_failed(computing: Computing, member_id: str, epoch: int) -> bool:
    return member_id in computing.failed and computing.failed_epoch == epoch


def _installed(
    group: Group, request: InstallAssignment, made: r.TargetAssignmentMetadata, outcome: Outcome
) -> Iterator[str]:
    prepared = COMPUTING.of(group).prepared
    assert prepared is not None, "it was prepared"
    if made.assignment_epoch != prepared.group_epoch:
        yield f"what was prepared at epoch {prepared.group_epoch} is installed for epoch {made.assignment_epoch}"
    holders = {
        group.instances.get(member.instance_id or "", member_id): member_id
        for member_id, member in prepared.spec.members.items()
    }
    shares = dict(group.targets)
    for record in outcome.records:
        if isinstance(record, r.TargetAssignmentMember):
            shares[record.member_id] = record.partitions
        elif isinstance(record, r.TargetAssignmentMemberRemoved):
            shares.pop(record.member_id, None)
    for member_id in group.members:
        given = request.members.get(holders.get(member_id, ""))
        due = sum(map(len, given.partitions.values())) if given is not None else 0
        has = sum(map(len, shares.get(member_id, {}).values()))
        if has != due:
            yield f"{member_id} is to have {due} partitions by the assignment, and has {has}"
