"""Fetch requests: to the last byte what the schema's encoder writes."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.fetch_request import ForgottenTopic, RawFetchRequest, WantedTopic
from kafka_nextgen.wire.frames import encode_request, write_message
from kafka_nextgen.wire.messages import FetchRequest

Topic = FetchRequest.FetchTopic
Partition = Topic.FetchPartition
Forgotten = FetchRequest.ForgottenTopic

VERSIONS = st.integers(FETCH.min_version, FETCH.max_version)
INT32S = st.integers(-(1 << 31), (1 << 31) - 1)
INT64S = st.integers(-(1 << 63), (1 << 63) - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
IDS = st.builds(UUID, int=st.integers(1, (1 << 128) - 1))
PARTITIONS = st.tuples(INT32S, INT32S, INT64S, INT32S, INT32S)
REQUESTS = st.builds(
    RawFetchRequest,
    INT32S,
    INT32S,
    INT32S,
    st.integers(0, 1),
    INT32S,
    INT32S,
    st.lists(st.builds(WantedTopic, TEXTS, IDS, st.lists(PARTITIONS, max_size=3)), max_size=3),
    st.lists(st.builds(ForgottenTopic, TEXTS, IDS, st.lists(INT32S, max_size=3)), max_size=3),
    TEXTS,
)


def by_schema(request: RawFetchRequest) -> FetchRequest:
    """The same for kafka-python's encoder."""
    return FetchRequest(
        replica_id=-1,
        max_wait_ms=request.max_wait_ms,
        min_bytes=request.min_bytes,
        max_bytes=request.max_bytes,
        isolation_level=request.isolation_level,
        session_id=request.session_id,
        session_epoch=request.session_epoch,
        topics=[
            Topic(topic=each.name, topic_id=each.topic_id, partitions=[_partition(*one) for one in each.partitions])
            for each in request.topics
        ],
        forgotten_topics_data=[
            Forgotten(topic=each.name, topic_id=each.topic_id, partitions=list(each.numbers))
            for each in request.forgotten
        ],
        rack_id=request.rack_id,
    )


def _partition(number: int, leader_epoch: int, offset: int, last_epoch: int, max_bytes: int) -> Partition:
    return Partition(
        partition=number,
        current_leader_epoch=leader_epoch,
        fetch_offset=offset,
        last_fetched_epoch=last_epoch,
        partition_max_bytes=max_bytes,
    )


@given(REQUESTS, VERSIONS)
def test_it_is_written_as_the_schema_has_it(request: RawFetchRequest, version: int) -> None:
    assert encode_request(request, version, 7, "me") == encode_request(by_schema(request), version, 7, "me")


@pytest.mark.parametrize("count", [0, 126, 127, 20_000])
@pytest.mark.parametrize(
    "request_of",
    [
        lambda count: RawFetchRequest(0, 0, 0, 0, 0, 0, [WantedTopic("a", UUID(int=1), [(0, 0, 0, 0, 0)] * count)], ()),
        lambda count: RawFetchRequest(0, 0, 0, 0, 0, 0, (), [ForgottenTopic("a", UUID(int=1), range(count))]),
        lambda count: RawFetchRequest(0, 0, 0, 0, 0, 0, (), (), "r" * count),
    ],
)
def test_a_length_takes_as_many_bytes_as_it_needs(request_of: Callable[[int], RawFetchRequest], count: int) -> None:
    request = request_of(count)
    assert request.encode(version=17) == write_message(by_schema(request), 17)


def test_a_topic_without_its_id_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="no topic id"):
        RawFetchRequest(0, 0, 0, 0, 0, 0, [WantedTopic("a", None, [])], ()).encode(version=13)
