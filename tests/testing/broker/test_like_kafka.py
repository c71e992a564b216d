"""Odd requests about groups, records and topics, and what every Kafka answers to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID, uuid4

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from tests.support.clients import unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually
from tests.testing.broker.client import Client, join_request
from tests.testing.broker.extended import heartbeat
from tests.testing.broker.group_requests import leave
from tests.testing.broker.requests import coordinator_of, fetch_request, list_offset, topic_id_of
from tests.testing.broker.topic_requests import create, new_topic_request
from tests.verification.worlds.topics import create_topic

NO_SUCH_LEVEL = 2
BY_NAME, BY_ID = 12, 13


@pytest.fixture
def at(every_kafka: KafkaServer) -> Iterator[Client]:
    with Client(every_kafka.bootstrap_servers) as client:
        eventually("there is a coordinator", lambda: coordinator_of(client, "g").error_code == ErrorCode.NONE)
        yield client


@pytest.fixture
def topic(at: Client) -> str:
    name = unique("orders")
    create_topic(at, name, 1)
    return name


# ---- groups


def commit(client: Client, group: str, topic: str, version: int = 9, **fields: Any) -> None:
    """Commit from outside any group, as soon as its coordinator has loaded what it knows."""
    partition = {"partition_index": 0, "committed_offset": 5, "committed_metadata": ""}
    topics = [{"name": topic, "partitions": [partition]}]
    who = {"group_id": group, "generation_id_or_member_epoch": -1, "member_id": ""}
    errors: list[int] = []

    def is_loaded() -> bool:
        answer = client.ask(apis.OFFSET_COMMIT, version=version, topics=topics, **who, **fields)
        errors.append(answer.topics[0].partitions[0].error_code)
        return errors[-1] != ErrorCode.COORDINATOR_LOAD_IN_PROGRESS

    eventually(f"{group} is coordinated", is_loaded)
    assert errors[-1] == ErrorCode.NONE


def test_what_is_no_group_of_the_kind_is_said_in_the_same_words(at: Client, topic: str) -> None:
    nowhere, simple = unique("nowhere"), unique("simple")
    commit(at, simple, topic)
    groups = at.ask(apis.CONSUMER_GROUP_DESCRIBE, group_ids=[nowhere, simple]).groups
    described = {group.group_id: group.error_message for group in groups}
    assert described[nowhere] == f"Group {nowhere} not found."
    both = {f"Group {simple} is not a consumer group.", f"Group {simple} not found."}  # Kafka 4.0 says the latter
    assert described[simple] in both
    classic = at.ask(apis.DESCRIBE_GROUPS, groups=[nowhere]).groups[0]
    assert (classic.error_code, classic.group_state) == (ErrorCode.GROUP_ID_NOT_FOUND, "Dead")
    assert classic.error_message == f"Group {nowhere} not found."
    assert coordinator_of(at, "g").error_message == ""


def test_a_sync_has_to_name_its_protocol(at: Client) -> None:
    sync = {"group_id": "g", "generation_id": 1, "member_id": "A"}
    assert at.ask(apis.SYNC_GROUP, version=5, **sync).error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert at.ask(apis.SYNC_GROUP, version=4, **sync).error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_join_that_a_consumer_group_refuses_names_no_member(at: Client, topic: str) -> None:
    group, member = unique("billing"), str(uuid4())

    def joins() -> bool:
        return heartbeat(at, group, member, 0, subscribed_topic_names=[topic]).error_code == ErrorCode.NONE

    eventually(f"{member} joins", joins)
    answer = at.ask(apis.JOIN_GROUP, join_request(group, member_id="zorro", protocol_type="connect"), 9)
    assert (answer.error_code, answer.member_id) == (ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "")


def test_a_join_that_waits_while_its_member_is_removed_names_no_member(at: Client) -> None:
    group = unique("billing")
    member_id = at.ask(apis.JOIN_GROUP, join_request(group, group_instance_id="one")).member_id
    at.ask(apis.JOIN_GROUP, join_request(group))  # another gets its id, and is waited for
    again = join_request(group, b"other topics", member_id=member_id, group_instance_id="one")
    at.send(again, apis.JOIN_GROUP.max_version)
    with Client(at.bootstrap_servers) as administrator:
        eventually("it waits", lambda: state_of(administrator, group) == "PreparingRebalance")
        leave(administrator, group, "", "one")
    answer = at.receive(apis.JOIN_GROUP, apis.JOIN_GROUP.max_version)
    assert (answer.error_code, answer.member_id) == (ErrorCode.UNKNOWN_MEMBER_ID, "")


def state_of(client: Client, group: str) -> str:
    return client.ask(apis.DESCRIBE_GROUPS, groups=[group]).groups[0].group_state


def test_offsets_are_deleted_where_there_are_such_partitions(at: Client, topic: str) -> None:
    group = unique("simple")
    commit(at, group, topic)
    assert deleted(at, group, {topic: [0, 9], "nowhere": [0]}) == {
        (topic, 0): ErrorCode.NONE,
        (topic, 9): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ("nowhere", 0): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert deleted(at, unique("nobody"), {"nowhere": [0]}) == ErrorCode.GROUP_ID_NOT_FOUND
    assert deleted(at, "", {topic: [0]}) == ErrorCode.INVALID_GROUP_ID


def deleted(client: Client, group: str, partitions: Mapping[str, list[int]]) -> dict[tuple[str, int], int] | int:
    """The error of each partition, or of the whole request."""
    topics = [
        {"name": topic, "partitions": [{"partition_index": index} for index in indexes]}
        for topic, indexes in partitions.items()
    ]
    answer = client.ask(apis.OFFSET_DELETE, group_id=group, topics=topics)
    return answer.error_code or {
        (topic.name, partition.partition_index): partition.error_code
        for topic in answer.topics
        for partition in topic.partitions
    }


@pytest.mark.parametrize("retention_ms", [2**63 - 1, -(2**63), 0])
def test_a_retention_time_may_end_beyond_all_time(at: Client, topic: str, retention_ms: int) -> None:
    commit(at, unique("simple"), topic, version=4, retention_time_ms=retention_ms)


# ---- records


def test_an_isolation_level_that_is_none_fails_the_fetch_and_the_lookup_of_offsets(at: Client, topic: str) -> None:
    answer = at.ask(apis.FETCH, fetch_request(topic, isolation_level=NO_SUCH_LEVEL), BY_NAME)
    (partition,) = answer.responses[0].partitions
    assert answer.error_code == partition.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert (partition.high_watermark, partition.aborted_transactions) == (-1, ())
    answer = at.ask(apis.FETCH, fetch_request(topic_id_of(at, topic), isolation_level=NO_SUCH_LEVEL), BY_ID)
    assert (answer.error_code, answer.responses) == (ErrorCode.UNKNOWN_SERVER_ERROR, ())
    found = list_offset(at, topic, -1, isolation_level=NO_SUCH_LEVEL)
    assert (found.error_code, found.offset) == (ErrorCode.UNKNOWN_SERVER_ERROR, -1)


@pytest.mark.parametrize("version", [BY_NAME, BY_ID])
def test_a_full_fetch_reads_what_it_forgets(at: Client, topic: str, version: int) -> None:
    forgotten = [{"partitions": [0], "topic" if version == BY_NAME else "topic_id": key(at, topic, version)}]
    how = {"session_epoch": 0, "forgotten_topics_data": forgotten}
    answer = at.ask(apis.FETCH, fetch_request(key(at, topic, version), **how), version)
    assert (answer.error_code, indexes(answer)) == (ErrorCode.NONE, [0])
    assert answer.session_id != 0


@pytest.mark.parametrize("epoch", [0, -1])
@pytest.mark.parametrize("version", [BY_NAME, BY_ID])
def test_a_partition_that_is_fetched_twice_is_read_once(at: Client, topic: str, version: int, epoch: int) -> None:
    request = fetch_request(key(at, topic, version), session_epoch=epoch)
    assert indexes(at.ask(apis.FETCH, request.replaced(topics=[*request.topics] * 2), version)) == [0]


def key(client: Client, topic: str, version: int) -> str | UUID:
    return topic if version == BY_NAME else topic_id_of(client, topic)


def indexes(answer: Any) -> list[int]:
    return [partition.partition_index for topic in answer.responses for partition in topic.partitions]


# ---- topics


def test_segments_may_be_so_small_and_no_smaller(at: Client, every_kafka: KafkaServer) -> None:
    smallest = 14 if every_kafka.release < (4, 1) else 1_048_576
    sizes = {str(smallest - 1): ErrorCode.INVALID_CONFIG, str(smallest): ErrorCode.NONE}
    topics = [new_topic_request(unique("logs"), configs={"segment.bytes": size}) for size in sizes]
    assert [create(at, topic, version=5)[0].error_code for topic in topics] == list(sizes.values())


def described(client: Client, version: int, *topics: dict[str, Any]) -> list[tuple[int, str | None]]:
    answer = client.ask(apis.METADATA, version=version, topics=list(topics), allow_auto_topic_creation=False)
    return [(topic.error_code, topic.name) for topic in answer.topics]


@pytest.mark.parametrize("version", [10, 11])
def test_metadata_takes_no_ids_before_version_12(at: Client, topic: str, version: int) -> None:
    known = topic_id_of(at, topic)
    for topic_id in (known, uuid4(), None):
        assert described(at, version, {"name": None, "topic_id": topic_id}) == [(ErrorCode.INVALID_REQUEST, "")]
    both = described(at, version, {"name": topic, "topic_id": known}, {"name": topic})
    assert both == [(ErrorCode.INVALID_REQUEST, topic)] * 2


def test_metadata_by_id_has_no_eye_for_names(at: Client, topic: str) -> None:
    by_id = {"name": None, "topic_id": topic_id_of(at, topic)}
    assert described(at, 12, {**by_id, "name": "nowhere"}) == [(ErrorCode.NONE, topic)]
    assert described(at, 12, {"name": topic, "topic_id": uuid4()}) == [(ErrorCode.UNKNOWN_TOPIC_ID, None)]
    assert described(at, 12, by_id, {"name": "nowhere"}) == [(ErrorCode.NONE, topic)]


def test_metadata_of_neither_name_nor_id_fails_whole(at: Client, topic: str) -> None:
    wrong = ErrorCode.UNKNOWN_SERVER_ERROR
    assert described(at, 12, {"name": topic}, {"name": None}) == [(wrong, topic), (wrong, "")]
