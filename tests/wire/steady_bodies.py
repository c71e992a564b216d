"""Answers to a steady fetch of ``steady_twin.PLACES``: bodies, and frames without their lengths."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire.records import NewRecord, encode_batch, encode_end_marker
from kafka_nextgen.wire.records.transactions import EndMarker
from tests.requests.over_the_wire import AUDIT
from tests.wire.steady_twin import batch, body_of, frame_of, partition_of, topic_of


def changed(data: bytes, at: int, to: bytes) -> bytes:
    return data[:at] + to + data[at + len(to) :]


def part(*records: bytes, number: int = 1, **fields: Any) -> bytes:
    """An answer of one partition with these bytes as records."""
    return body_of(topic_of(partition_of(number, b"".join(records), **fields)))


ONE = part(batch())
SOUND = body_of(
    topic_of(partition_of(1, batch()), partition_of(3, batch(1) + batch(3, 9))),
    topic_of(partition_of(0, batch(1, 0)), topic_id=AUDIT),
)
NOTHING = body_of()
WRONG_CRC = part(changed(batch(), 17, b"\0\0\0\0"))

PLAIN = {
    "of several topics": SOUND,
    "without records": NOTHING,
    "from before the offset": part(batch(3, 1)),
    "last batch cut short": part(batch(), batch(1, 5)[:-1]),
    "of an epoch": part(batch(leader_epoch=8)),
    "of an epoch, then of none": part(batch(leader_epoch=8), batch(1, 9)),
    "with a long length": part(batch(300)),
    "with headers": part(encode_batch([NewRecord(b"v", headers=(("trace", None),))], base_offset=3)),
    "with nulls": part(encode_batch([NewRecord(None), NewRecord(b"", b"k")], base_offset=3)),
    "with no aborted transactions": part(batch(), aborted_transactions=[]),
    "with null for them": part(batch(), aborted_transactions=None),
    "with a batch of a marker behind": part(
        batch(1), changed(encode_end_marker(EndMarker(True, 3), 7, 1, 4), 7, b"\4")
    ),
}


def bring(offset: int, count: int = 1, leader_epoch: int = -1) -> bytes:
    """A frame with records of one partition."""
    return frame_of(body_of(topic_of(partition_of(1, batch(count, offset, leader_epoch=leader_epoch)))))


SOUND_FRAME = frame_of(SOUND)
NOTHING_FRAME = frame_of(NOTHING)
