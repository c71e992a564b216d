"""DeleteGroups, versions 0 to 3: deletes groups and their offsets."""

from __future__ import annotations

from collections.abc import Sequence

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.listed import GroupsDeleted
from kafka_nextgen.wire.error_codes import code_of
from kafka_nextgen.wire.messages import DeleteGroupsRequest, DeleteGroupsResponse

__all__ = ["from_response", "to_request"]


def to_request(group_ids: Sequence[str]) -> DeleteGroupsRequest:
    """Request the deletion of these groups."""
    return DeleteGroupsRequest(groups_names=list(group_ids))


def from_response(message: DeleteGroupsResponse, asked: Sequence[str]) -> GroupsDeleted:
    """Read the result for each group of ``asked``. Raises ``DecodeError`` if the answer omits one."""
    told = {result.group_id: code_of(result.error_code) for result in message.results}
    if missing := set(asked) - told.keys():
        raise DecodeError(f"the response to DeleteGroups lacks {', '.join(sorted(missing))}")
    messages = {result.group_id: result.error_message for result in message.results if result.error_message}
    return GroupsDeleted({group_id: told[group_id] for group_id in asked}, messages)
