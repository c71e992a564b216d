"""What only the admin asks: OffsetDelete, configurations of groups and members removed."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.leaving import LeaveGroup, LeaveGroupAnswer, LeavingMember, LeftMember
from kafka_nextgen.requests import describe_configs, incremental_alter_configs, leave_group, offset_delete
from kafka_nextgen.testing.messages import leave_group as broker_leave_group
from kafka_nextgen.wire.apis import DESCRIBE_CONFIGS, INCREMENTAL_ALTER_CONFIGS, LEAVE_GROUP, OFFSET_DELETE
from kafka_nextgen.wire.messages import DescribeConfigsResponse, IncrementalAlterConfigsResponse, OffsetDeleteResponse
from kafka_nextgen.wire.schemas.configs import AlterConfigsResourceResponse
from tests.requests.over_the_wire import answered, asked, audit, orders

_DeletedTopic = OffsetDeleteResponse.OffsetDeleteResponseTopic
_DeletedPartition = _DeletedTopic.OffsetDeleteResponsePartition


def test_offsets_to_delete_are_named_by_topic() -> None:
    heard = asked(offset_delete.to_request("g", [orders(2), audit(0), orders(0)]), 0)
    named = [(topic.name, [partition.partition_index for partition in topic.partitions]) for topic in heard.topics]
    assert (heard.group_id, named) == ("g", [("audit", [0]), ("orders", [0, 2])])


def test_deleted_offsets_are_told_one_by_one_or_refused_together() -> None:
    topic = _DeletedTopic(name="orders", partitions=[_DeletedPartition(partition_index=0, error_code=86)])
    told = answered(OFFSET_DELETE, OffsetDeleteResponse(error_code=0, topics=[topic]), 0)
    assert offset_delete.from_response(told, [orders(0)]).errors == {orders(0): 86}
    with pytest.raises(DecodeError, match=r"lacks orders\[1\]"):
        offset_delete.from_response(told, [orders(0), orders(1)])
    refused = answered(OFFSET_DELETE, OffsetDeleteResponse(error_code=68, topics=[]), 0)
    assert offset_delete.from_response(refused, [orders(0)]).error == ErrorCode.NON_EMPTY_GROUP


@pytest.mark.parametrize("version", [0, 1])
def test_a_change_sets_or_takes_back(version: int) -> None:
    request = incremental_alter_configs.to_request("g", {"a": "1", "b": None}, validate_only=True)
    heard = asked(request, version)
    (resource,) = heard.resources
    assert (resource.resource_type, resource.resource_name, heard.validate_only) == (32, "g", True)
    assert [(c.name, c.config_operation, c.value) for c in resource.configs] == [("a", 0, "1"), ("b", 1, None)]


def test_what_became_of_a_change_is_found_by_the_group() -> None:
    entry = AlterConfigsResourceResponse(error_code=40, error_message="no", resource_type=32, resource_name="g")
    message = answered(INCREMENTAL_ALTER_CONFIGS, IncrementalAlterConfigsResponse(responses=[entry]), 1)
    assert incremental_alter_configs.from_response(message, "g") == (40, "no")
    with pytest.raises(DecodeError, match="lacks group h"):
        incremental_alter_configs.from_response(message, "h")


@pytest.mark.parametrize(("version", "documentation"), [(1, None), (4, "how long")])
def test_a_configuration_says_what_is_its_own(version: int, documentation: str | None) -> None:
    result = DescribeConfigsResponse.DescribeConfigsResult
    told = {"read_only": False, "is_sensitive": False, "synonyms": [], "documentation": "how long"}
    configs = [
        result.DescribeConfigsResourceResult(name=name, value=value, config_source=source, **told)
        for name, value, source in (("a", "1", 8), ("b", None, 5))
    ]
    found = result(error_code=0, error_message=None, resource_type=32, resource_name="g", configs=configs)
    message = answered(DESCRIBE_CONFIGS, DescribeConfigsResponse(results=[found]), version)
    own, other = describe_configs.from_response(message, "g").configs
    assert (own.name, own.value, own.is_own, own.documentation) == ("a", "1", True, documentation)
    assert (other.name, other.value, other.is_own) == ("b", None, False)
    with pytest.raises(DecodeError, match="lacks group h"):
        describe_configs.from_response(message, "h")


@pytest.mark.parametrize(("version", "reason"), [(3, None), (5, "moved")])
def test_members_are_removed_by_either_id(version: int, reason: str | None) -> None:
    members = LeavingMember("", "i", "moved"), LeavingMember("m", None, "moved")
    heard = broker_leave_group.from_request(asked(leave_group.removal(LeaveGroup("g", members)), version))
    assert heard == LeaveGroup("g", (LeavingMember("", "i", reason), LeavingMember("m", None, reason)))
    answer = LeaveGroupAnswer((LeftMember("", "i", ErrorCode.NONE), LeftMember("m", None, ErrorCode.UNKNOWN_MEMBER_ID)))
    message = answered(LEAVE_GROUP, broker_leave_group.to_response(answer, version), version)
    assert leave_group.from_response(message, LeaveGroup("g", members)) == answer
    with pytest.raises(DecodeError, match="the response to LeaveGroup lacks n"):
        leave_group.from_response(message, LeaveGroup("g", (*members, LeavingMember("n", None, "moved"))))
