"""What the configuration comes to for the parts behind the fronts."""

from __future__ import annotations

import pytest

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.settings import record_limits

MIB = 1 << 20


@pytest.mark.parametrize(
    ("buffer_bytes", "frame_bytes", "decompressed_bytes"),
    [
        pytest.param(64 * MIB, 100 * MIB, 64 * MIB, id="by default as much as is buffered"),
        pytest.param(1, 100 * MIB, 16 * MIB, id="a small buffer makes no sound batch unreadable"),
        pytest.param(2**31 - 1, 100 * MIB, 2**31 - 1 - 100 * MIB, id="columns count their bytes in 32 bits"),
    ],
)
def test_what_records_may_take_follows_from_the_buffer(
    buffer_bytes: int, frame_bytes: int, decompressed_bytes: int
) -> None:
    config = ConsumerConfig.parse(
        {
            "bootstrap.servers": "localhost:9092",
            "fetch.buffer.bytes": buffer_bytes,
            "receive.message.max.bytes": frame_bytes,
        }
    )
    limits = record_limits(config)
    assert limits.max_decompressed_bytes == decompressed_bytes
    assert limits.max_answer_bytes == 4 * decompressed_bytes
