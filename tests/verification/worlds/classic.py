"""The classic protocol through sockets: each request that may have to wait has a connection of its own.

Nothing tells that a request waits but that no answer comes. So after each there is a *barrier*: heartbeats of nobody to
the same group, one after the other. The coordinator serves a group's requests in order, so when those are answered the
answers to all requests before are on their way.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable

from attrs import define, evolve, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.described import DescribedClassicMember, GroupsDescribed
from kafka_nextgen.groups.leaving import LeaveGroup, LeaveGroupAnswer
from kafka_nextgen.groups.listed import GroupsDeleted, GroupsListed
from kafka_nextgen.requests import delete_groups, describe_groups, leave_group, list_groups
from kafka_nextgen.testing.coordinator.classic.requests import DescribeGroups, Heartbeat, JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import (
    HeartbeatAnswer,
    JoinedMember,
    JoinGroupAnswer,
    SyncGroupAnswer,
)
from kafka_nextgen.testing.coordinator.requests import DeleteGroups, ListGroups
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.error_codes import code_of
from kafka_nextgen.wire.messages import (
    ApiVersionsRequest,
    HeartbeatRequest,
    JoinGroupRequest,
    JoinGroupResponse,
    SyncGroupRequest,
    SyncGroupResponse,
)
from tests.support.waiting import slowness
from tests.testing.broker.client import Client
from tests.verification.scenario_language.world import Answer, LateAnswer, PatientQuestion, Question
from tests.verification.worlds.embedded import Rename, renamed_assignment, renamed_subscription

_BARRIERS = 3
_NOBODY = "nobody"


@define
class Waiting:
    """A request on its way, and the connection it has to itself."""

    name: str
    client: Client
    api: Api
    version: int


@define
class ClassicConversation:
    """The classic requests of one scenario.

    ``connect`` makes a connection. Topics have a ``real`` name and the one they are ``told`` by. An answer that is on
    its way is there within ``grace_s``.
    """

    client: Client
    connect: Callable[[], Client]
    real: Rename
    told: Rename
    waiting: list[Waiting] = field(factory=list)
    grace_s: float = 0.1 * slowness()

    def ask(self, question: Question) -> Answer:
        """Ask what is answered at once."""
        answer = _ASK[type(question)](self.client, question)
        return self._told_group(answer) if isinstance(answer, GroupsDescribed) else answer

    def _told_group(self, described: GroupsDescribed) -> GroupsDescribed:
        return GroupsDescribed(
            tuple(evolve(group, members=tuple(map(self._told_member, group.members))) for group in described.groups)
        )

    def _told_member(self, member: DescribedClassicMember) -> DescribedClassicMember:
        return evolve(member, assignment=renamed_assignment(member.assignment, self.told))

    def put(self, name: str, question: PatientQuestion) -> None:
        """Send what may have to wait, on a connection that is known to be served."""
        client = self.connect()
        client.ask(apis.API_VERSIONS, ApiVersionsRequest(client_software_name="tests", client_software_version="1"), 4)
        if isinstance(question, JoinGroup):
            client.send(_join(question, self.real), question.version)
            self.waiting.append(Waiting(name, client, apis.JOIN_GROUP, question.version))
        else:
            client.send(_sync(question, self.real), apis.SYNC_GROUP.max_version)
            self.waiting.append(Waiting(name, client, apis.SYNC_GROUP, apis.SYNC_GROUP.max_version))
        self._pass_barrier(question.group_id)

    def _pass_barrier(self, group_id: str) -> None:
        for _ in range(_BARRIERS):
            self.client.ask(apis.HEARTBEAT, HeartbeatRequest(group_id=group_id, generation_id=0, member_id=_NOBODY))

    def arrived(self, group_id: str) -> dict[str, LateAnswer]:
        """Take the answers that are there."""
        if self.waiting:
            self._pass_barrier(group_id)
        deadline = time.monotonic() + self.grace_s
        found: dict[str, LateAnswer] = {}
        for waiting in list(self.waiting):
            if waiting.client.has_answer(max(deadline - time.monotonic(), 0)):
                self.waiting.remove(waiting)
                found[waiting.name] = _answer(waiting.client.receive(waiting.api, waiting.version), self.told)
                waiting.client.close()
        return found

    def wait(self, timeout_s: float) -> None:
        """Wait until some answer is there, or for this long."""
        select.select([waiting.client for waiting in self.waiting], [], [], timeout_s)

    def close(self) -> None:
        for waiting in self.waiting:
            waiting.client.close()


def _join(question: JoinGroup, real: Rename) -> JoinGroupRequest:
    protocol = JoinGroupRequest.JoinGroupRequestProtocol
    return JoinGroupRequest(
        group_id=question.group_id,
        session_timeout_ms=question.session_timeout_ms,
        rebalance_timeout_ms=question.rebalance_timeout_ms,
        member_id=question.member_id,
        group_instance_id=question.instance_id,
        protocol_type=question.protocol_type,
        protocols=[
            protocol(name=offer.name, metadata=renamed_subscription(offer.metadata, real))
            for offer in question.protocols
        ],
        reason=question.reason,
    )


def _sync(question: SyncGroup, real: Rename) -> SyncGroupRequest:
    part = SyncGroupRequest.SyncGroupRequestAssignment
    return SyncGroupRequest(
        group_id=question.group_id,
        generation_id=question.generation,
        member_id=question.member_id,
        group_instance_id=question.instance_id,
        protocol_type=question.protocol_type,
        protocol_name=question.protocol_name,
        assignments=[
            part(member_id=member_id, assignment=renamed_assignment(data, real))
            for member_id, data in question.assignments
        ],
    )


def _answer(message: JoinGroupResponse | SyncGroupResponse, told: Rename) -> LateAnswer:
    if isinstance(message, SyncGroupResponse):
        assignment = renamed_assignment(bytes(message.assignment), told)
        return SyncGroupAnswer(code_of(message.error_code), message.protocol_type, message.protocol_name, assignment)
    return JoinGroupAnswer(
        code_of(message.error_code),
        message.member_id,
        message.generation_id,
        message.protocol_type,
        message.protocol_name,
        message.leader,
        tuple(_joined(member, told) for member in message.members),
        message.skip_assignment,
    )


def _joined(member: JoinGroupResponse.JoinGroupResponseMember, told: Rename) -> JoinedMember:
    metadata = renamed_subscription(bytes(member.metadata), told)
    return JoinedMember(member.member_id, member.group_instance_id, metadata)


def _heartbeat(client: Client, question: Heartbeat) -> HeartbeatAnswer:
    message = HeartbeatRequest(
        group_id=question.group_id,
        generation_id=question.generation,
        member_id=question.member_id,
        group_instance_id=question.instance_id,
    )
    return HeartbeatAnswer(code_of(client.ask(apis.HEARTBEAT, message).error_code))


def _leave(client: Client, question: LeaveGroup) -> LeaveGroupAnswer:
    return leave_group.from_response(client.ask(apis.LEAVE_GROUP, leave_group.removal(question)), question)


def _describe(client: Client, question: DescribeGroups) -> GroupsDescribed:
    told = client.ask(apis.DESCRIBE_GROUPS, describe_groups.to_request(question.group_ids))
    return describe_groups.from_response(told, question.group_ids)


def _list(client: Client, question: ListGroups) -> GroupsListed:
    code, listed = list_groups.from_response(
        client.ask(apis.LIST_GROUPS, list_groups.to_request(question.states, question.types))
    )
    assert code == ErrorCode.NONE
    return listed


def _delete(client: Client, question: DeleteGroups) -> GroupsDeleted:
    told = client.ask(apis.DELETE_GROUPS, delete_groups.to_request(question.group_ids), 2)
    return delete_groups.from_response(told, question.group_ids)


_ASK: dict[type, Callable[..., Answer]] = {
    Heartbeat: _heartbeat,
    LeaveGroup: _leave,
    DescribeGroups: _describe,
    ListGroups: _list,
    DeleteGroups: _delete,
}
