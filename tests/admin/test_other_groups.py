"""Groups of other types: each is described by the API of its type, or as far as its coordinator can."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator

import pytest
from click.testing import CliRunner

from kafka_nextgen import GroupAdmin, GroupNotFoundError, GroupState, GroupType, StreamsTasks, TopicPartition
from kafka_nextgen.cli.main import cli
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.apis import SERVED
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import (
    DELETE_GROUPS,
    DESCRIBE_SHARE_GROUP_OFFSETS,
    LIST_GROUPS,
    SHARE_GROUP_DESCRIBE,
    STREAMS_GROUP_DESCRIBE,
    Api,
)

ORDERS = TopicPartition("orders", 0)
NOT_FOUND = ErrorCode.GROUP_ID_NOT_FOUND
CLIENT = {"client_id": "c", "client_host": "/::1"}

_Share = m.ShareGroupDescribeResponse.DescribedGroup
_Streams = m.StreamsGroupDescribeResponse.DescribedGroup
_Subtopology = _Streams.Topology.Subtopology
_Tasks = _Streams.Member.Assignment
_Listed = m.ListGroupsResponse.ListedGroup
_ShareOffsets = m.DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseGroup
_ShareTopic = _ShareOffsets.DescribeShareGroupOffsetsResponseTopic
_SharePartition = _ShareTopic.DescribeShareGroupOffsetsResponsePartition

Serve = Callable[[Api, object], None]


def share_group(group_id: str) -> _Share:
    if group_id != "sharing":
        return _Share(error_code=NOT_FOUND, group_id=group_id)
    partitions = _Share.Member.Assignment.TopicPartitions(topic_id=None, topic_name="orders", partitions=[0])
    assignment = _Share.Member.Assignment(topic_partitions=[partitions])
    member = _Share.Member(
        member_id="s1", member_epoch=3, **CLIENT, subscribed_topic_names=["orders"], assignment=assignment
    )
    epochs = {"group_epoch": 3, "assignment_epoch": 3}
    return _Share(group_id=group_id, group_state="Stable", **epochs, assignor_name="simple", members=[member])


def tasks(name: str, *numbers: int) -> _Tasks.TaskIds:
    return _Tasks.TaskIds(subtopology_id=name, partitions=list(numbers))


def streams_group(group_id: str) -> _Streams:
    if group_id != "counting":
        return _Streams(error_code=NOT_FOUND, group_id=group_id)
    repartitioned = _Subtopology.TopicInfo(name="counts")
    subtopology = _Subtopology(source_topics=["orders"], repartition_source_topics=[repartitioned])
    topology = _Streams.Topology(epoch=1, subtopologies=[subtopology])
    assigned = {
        "assignment": _Tasks(active_tasks=[tasks("0", 10, 2)], standby_tasks=[tasks("1", 0)]),
        "target_assignment": _Tasks(active_tasks=[tasks("0", 2)]),
    }
    member = _Streams.Member(member_id="t1", member_epoch=5, instance_id="one", process_id="p", **CLIENT, **assigned)
    epochs = {"group_epoch": 6, "assignment_epoch": 6}
    return _Streams(group_id=group_id, group_state="NotReady", **epochs, topology=topology, members=[member])


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster() as cluster:
        cluster.create_topic("orders")
        yield cluster


@pytest.fixture
def serve(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Let the broker answer an API; it lists the two groups."""

    def add(api: Api, answer: object) -> None:
        async def handle(request: object, context: object) -> object:
            return answer(request) if callable(answer) else answer

        handler: Callable[..., Awaitable[object]] = handle
        monkeypatch.setitem(SERVED, api, handler)  # type: ignore[arg-type]

    listed = [
        _Listed(group_id="counting", protocol_type="streams", group_state="NotReady", group_type="streams"),
        _Listed(group_id="sharing", protocol_type="share", group_state="Stable", group_type="share"),
    ]
    add(LIST_GROUPS, m.ListGroupsResponse(groups=listed))
    return add


@pytest.fixture
def described(serve: Serve) -> None:
    """Let the broker describe them."""
    answers = {
        SHARE_GROUP_DESCRIBE: lambda asked: m.ShareGroupDescribeResponse(
            groups=list(map(share_group, asked.group_ids))
        ),
        STREAMS_GROUP_DESCRIBE: lambda asked: m.StreamsGroupDescribeResponse(
            groups=list(map(streams_group, asked.group_ids))
        ),
    }
    for api, answer in answers.items():
        serve(api, answer)


def run(cluster: Cluster, *arguments: str) -> list[list[str]]:
    done = CliRunner().invoke(cli, ["groups", *arguments, "-b", cluster.bootstrap_servers])
    assert done.exit_code == 0, done.output
    return [line.split() for line in done.output.splitlines()]


@pytest.mark.usefixtures("described")
def test_all_groups_are_described_whatever_their_types(cluster: Cluster) -> None:
    rows = [row[:3] for row in run(cluster, "describe")]
    assert rows == [["GROUP", "TYPE", "STATE"], ["counting", "streams", "NotReady"], ["sharing", "share", "Stable"]]
    assert [row[0] for row in run(cluster, "describe", "--type", "share")] == ["GROUP", "sharing"]


@pytest.mark.usefixtures("described")
def test_members_of_a_share_group_have_partitions_and_no_target(cluster: Cluster) -> None:
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        group = admin.describe(["sharing"])["sharing"]
    assert (group.type, group.state, group.assignor) == (GroupType.SHARE, GroupState.STABLE, "simple")
    (member,) = group.members
    assert (member.type, member.assignment, member.target) == (GroupType.SHARE, frozenset({ORDERS}), None)


@pytest.mark.usefixtures("described")
def test_members_of_a_streams_group_have_tasks(cluster: Cluster) -> None:
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        (member,) = admin.members("counting")
    assert (member.type, member.instance_id, member.assignment) == (GroupType.STREAMS, "one", None)
    assert member.tasks == StreamsTasks(("0_2", "0_10"), ("1_0",))
    assert (member.subscribed_topics, member.is_at_target) == (("counts", "orders"), False)
    (_, row) = run(cluster, "members", "counting")
    assert row[-7:] == ["counts", "orders", "0_2", "0_10", "standby", "1_0", "0_2"]
    document = json.loads("".join(" ".join(line) for line in run(cluster, "members", "counting", "--json")))
    assert document[0]["tasks"] == {"active": ["0_2", "0_10"], "standby": ["1_0"], "warmup": []}


@pytest.mark.usefixtures("described")
def test_a_group_that_is_not_there_is_none_of_any_type(cluster: Cluster) -> None:
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin, pytest.raises(GroupNotFoundError):
        admin.members("nobody")


@pytest.mark.usefixtures("serve")
def test_a_coordinator_without_their_apis_tells_type_and_state(cluster: Cluster) -> None:
    _, counting, sharing = run(cluster, "describe")
    assert (counting[:3], sharing[:3]) == (["counting", "streams", "NotReady"], ["sharing", "share", "Stable"])
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin, pytest.raises(GroupNotFoundError):
        admin.members("nobody")


@pytest.mark.usefixtures("described")
def test_offsets_of_a_share_group_are_those_not_acknowledged_with_the_lag_of_its_broker(
    cluster: Cluster, serve: Serve
) -> None:
    partitions = [
        _SharePartition(partition_index=0, start_offset=0, leader_epoch=0, lag=7),
        _SharePartition(partition_index=1, start_offset=-1),
        _SharePartition(partition_index=2, error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        _SharePartition(partition_index=3, start_offset=5, lag=-1),
    ]
    topic = _ShareTopic(topic_name="orders", topic_id=None, partitions=partitions)
    answer = m.DescribeShareGroupOffsetsResponse(groups=[_ShareOffsets(group_id="sharing", topics=[topic])])
    serve(DESCRIBE_SHARE_GROUP_OFFSETS, answer)
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        offsets = admin.offsets("sharing")
    assert offsets[ORDERS].committed is not None
    assert (offsets[ORDERS].committed.offset, offsets[ORDERS].lag, offsets[ORDERS].member_id) == (0, 7, None)
    assert TopicPartition("orders", 1) not in offsets, "nothing is known of it"
    assert "TOPIC_AUTHORIZATION_FAILED" in str(offsets[TopicPartition("orders", 2)].error)
    assert offsets[TopicPartition("orders", 3)].lag is None, "its broker does not know"


def test_what_a_broker_says_of_a_group_it_can_not_delete_is_told(cluster: Cluster, serve: Serve) -> None:
    result = m.DeleteGroupsResponse.DeletableGroupResult(
        group_id="counting", error_code=ErrorCode.GROUP_DELETION_FAILED, error_message="its topology stays"
    )
    serve(DELETE_GROUPS, m.DeleteGroupsResponse(results=[result]))
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        error = admin.delete(["counting"]).failed["counting"]
    assert "group counting: deleting it: GROUP_DELETION_FAILED: its topology stays" in str(error)
