"""Fetch answers: read where they lie; anything else is a DecodeError."""

from __future__ import annotations

from struct import pack
from typing import Any
from uuid import UUID

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.frames import decode_response, encode_response
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.records import RecordLimits, decode_partition

Topic = FetchResponse.FetchableTopicResponse
Partition = Topic.PartitionData


def written(message: Any, version: int) -> bytes:
    return encode_response(FETCH, message, version, 1)[4:]


def read(frame: bytes, version: int) -> Any:
    return decode_response(FETCH, version, frame)[1]


@pytest.mark.parametrize("size", [None, 0, 1, 126, 127, 128, 16_382, 16_383, 16_384])
def test_records_are_as_long_as_their_length_says_however_it_is_written(size: int | None) -> None:
    records = None if size is None else bytes(size)
    partitions = [Partition(partition_index=number, records=records) for number in range(3)]
    message = FetchResponse(responses=[Topic(topic_id=UUID(int=1), partitions=partitions)])
    assert read(written(message, 17), 17) == message


@pytest.mark.parametrize("length", [b"\x81\x00", b"\x81\x80\x00", b"\x7f", b"\xff\x7f"])
def test_a_length_that_is_too_long_in_form_or_value_is_refused(length: bytes) -> None:
    head = pack(">iihi", 0, 0, 0, 0)  # without the correlation id's tags, which follow it
    partition = pack(">ihqqqBi", 0, 0, 0, 0, 0, 0, -1)
    frame = head[:4] + b"\0" + head[4:] + b"\x02" + UUID(int=1).bytes + b"\x02" + partition + length + bytes(5)
    with pytest.raises(DecodeError, match="records: "):
        read(frame, 17)


#: What Kafka 4.3.0 answered as node 1: orders[0] has a batch of two records, orders[1] none, node 2 leads orders[2].
CAPTURED = {
    11: """
        00000003 00000000 0000 00000000 00000001 0006 6f7264657273 00000003
        00000000 0000 0000000000000002 0000000000000002 0000000000000000 ffffffff ffffffff 00000052
            0000000000000000 00000046 00000000 02 ea98046f 0000 00000001 00000000000003e8 00000000000003e9
            ffffffffffffffff ffff ffffffff 00000002 14000000026b066f6e6500 12000202010674776f00
        00000001 0000 0000000000000000 0000000000000000 0000000000000000 ffffffff ffffffff 00000000
        00000002 0006 ffffffffffffffff ffffffffffffffff ffffffffffffffff ffffffff ffffffff 00000000""",
    17: """
        00000002 00 00000000 0000 00000000 02 1be7d22c441f40fb8da51178193dfb1a 04
        00000000 0000 0000000000000002 0000000000000002 0000000000000000 00 ffffffff 53
            0000000000000000 00000046 00000000 02 ea98046f 0000 00000001 00000000000003e8 00000000000003e9
            ffffffffffffffff ffff ffffffff 00000002 14000000026b066f6e6500 12000202010674776f00 00
        00000001 0000 0000000000000000 0000000000000000 0000000000000000 00 ffffffff 01 00
        00000002 0006 ffffffffffffffff ffffffffffffffff ffffffffffffffff 00 ffffffff 01 01 01 09 00000002 00000000 00
        00 01 00 17 02 00000002 0a 3132372e302e302e31 0000bded 03 7232 00""",
}


@pytest.mark.parametrize("version", CAPTURED)
def test_what_kafka_answered_is_read(version: int) -> None:
    answer = read(bytes.fromhex(CAPTURED[version]), version)
    first, second, third = answer.responses[0].partitions
    assert first.records is not None
    columns = decode_partition(first.records, TopicPartition("orders", 0), 0, RecordLimits())
    assert (list(columns.offsets), list(columns.timestamps)) == ([0, 1], [1000, 1001])
    assert (second.error_code, second.high_watermark, bytes(second.records or b"")) == (ErrorCode.NONE, 0, b"")
    assert third.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    if version >= 16:
        assert third.current_leader == Partition.LeaderIdAndEpoch(leader_id=2, leader_epoch=0)
        assert answer.node_endpoints == (
            FetchResponse.NodeEndpoint(node_id=2, host="127.0.0.1", port=48621, rack="r2"),
        )


def test_records_are_not_copied() -> None:
    for version in range(FETCH.min_version, FETCH.max_version + 1):
        partition = Partition(partition_index=1, records=b"batches")
        frame = written(FetchResponse(responses=[Topic(topic="orders", partitions=[partition])]), version)
        records = read(frame, version).responses[0].partitions[0].records
        assert records is not None
        assert records.obj is frame
