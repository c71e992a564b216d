"""ListGroups and DeleteGroups, from both ends."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.listed import GroupsDeleted, GroupsListed, ListedGroup
from kafka_nextgen.requests import delete_groups, list_groups
from kafka_nextgen.testing.coordinator.requests import DeleteGroups, ListGroups
from kafka_nextgen.testing.messages import delete_groups as broker_delete_groups
from kafka_nextgen.testing.messages import list_groups as broker_list_groups
from kafka_nextgen.wire.apis import DELETE_GROUPS, LIST_GROUPS
from kafka_nextgen.wire.messages import ListGroupsResponse
from tests.requests.over_the_wire import answered, asked


@pytest.mark.parametrize(
    ("version", "heard"),
    [
        (3, ListGroups()),
        (4, ListGroups(frozenset({"Stable"}))),
        (5, ListGroups(frozenset({"Stable"}), frozenset({"consumer"}))),
    ],
)
def test_filters_are_heard_where_the_version_has_them(version: int, heard: ListGroups) -> None:
    assert broker_list_groups.from_request(asked(list_groups.to_request(["Stable"], ["consumer"]), version)) == heard


@pytest.mark.parametrize(
    ("version", "told"),
    [
        (0, ListedGroup("g", "consumer", "", "")),
        (4, ListedGroup("g", "consumer", "Stable", "")),
        (5, ListedGroup("g", "consumer", "Stable", "consumer")),
    ],
)
def test_groups_are_told_as_far_as_the_version_goes(version: int, told: ListedGroup) -> None:
    listed = GroupsListed((ListedGroup("g", "consumer", "Stable", "consumer"),))
    message = answered(LIST_GROUPS, broker_list_groups.to_response(listed), version)
    assert list_groups.from_response(message) == (0, GroupsListed((told,)))


def test_a_coordinator_that_still_loads_says_so() -> None:
    message = ListGroupsResponse(error_code=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, groups=[])
    assert list_groups.from_response(answered(LIST_GROUPS, message, 5)) == (14, GroupsListed(()))


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_groups_are_deleted_one_by_one(version: int) -> None:
    assert broker_delete_groups.from_request(asked(delete_groups.to_request(["g", "h", "g"]), version)) == DeleteGroups(
        ("g", "h")
    )
    deleted = GroupsDeleted({"g": ErrorCode.NONE, "h": ErrorCode.NON_EMPTY_GROUP})
    message = answered(DELETE_GROUPS, broker_delete_groups.to_response(deleted), version)
    assert delete_groups.from_response(message, ["g", "h"]) == deleted


def test_what_is_said_of_a_failure_is_read_from_version_3_on() -> None:
    failed = GroupsDeleted({"g": ErrorCode.GROUP_DELETION_FAILED}, {"g": "the plugin failed"})
    told = [
        delete_groups.from_response(answered(DELETE_GROUPS, broker_delete_groups.to_response(failed), version), ["g"])
        for version in (2, 3)
    ]
    assert told == [GroupsDeleted({"g": ErrorCode.GROUP_DELETION_FAILED}), failed]


def test_an_answer_that_leaves_a_group_out_is_refused() -> None:
    message = answered(DELETE_GROUPS, broker_delete_groups.to_response(GroupsDeleted({})), 2)
    with pytest.raises(DecodeError, match="lacks g, h"):
        delete_groups.from_response(message, ["h", "g"])
