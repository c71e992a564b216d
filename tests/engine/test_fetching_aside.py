"""What is new is read at once, although the broker holds back the fetch before it for half a minute."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.broker.context import Context
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.messages import FetchRequest
from tests.engine.stage import Stage, poll_until, read, tp, values

HALF_A_MINUTE_MS = 30_000


def waits_of(stage: Stage) -> list[int]:
    """How long each fetch from now on lets the broker wait, in milliseconds."""
    waits: list[int] = []
    original = stage.original(FETCH)

    async def handle(request: FetchRequest, context: Context) -> object:
        waits.append(request.max_wait_ms)
        return await original(request, context)

    stage.handle(FETCH, handle)
    return waits


@pytest.mark.parametrize(
    ("before", "begin"),
    [
        pytest.param([tp(0)], lambda consumer: consumer.assign([tp(0), tp(1)]), id="assigned"),
        pytest.param([tp(0), tp(1)], lambda consumer: consumer.seek(tp(1), 0), id="sought"),
    ],
)
def test_a_partition_that_is_new_does_not_wait_for_the_long_poll(
    stage: Stage, before: list[TopicPartition], begin: Callable[[Consumer], None]
) -> None:
    stage.create(partitions=2)
    stage.write(1, 3)
    waits = waits_of(stage)
    with stage.consumer(
        group_id=None,
        auto_offset_reset="latest",
        fetch_max_wait_ms=HALF_A_MINUTE_MS,
        request_timeout_ms=2 * HALF_A_MINUTE_MS,
    ) as consumer:
        consumer.assign(before)
        poll_until(consumer, lambda: HALF_A_MINUTE_MS in waits)
        begin(consumer)
        if tp(1) not in before:
            consumer.seek(tp(1), 0)
        assert values(read(consumer, 3)) == [0, 1, 2]
    assert waits.count(HALF_A_MINUTE_MS) == 1
