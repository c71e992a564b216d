"""What goes to a broker in fetch sessions (KIP-227), and that nothing is lost when the broker ends one."""

from __future__ import annotations

import pytest

from kafka_nextgen.broker.context import Context
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.messages import FetchRequest, FetchResponse
from tests.engine.stage import Stage, poll_until, read, tp, values

PARTITIONS = 4


def sessions_told(stage: Stage, refusals: list[ErrorCode]) -> list[tuple[int, int]]:
    """The epoch, and how many partitions were named, of every fetch from now on; these incremental ones are refused."""
    told: list[tuple[int, int]] = []
    original = stage.original(FETCH)

    async def handle(request: FetchRequest, context: Context) -> object:
        told.append((request.session_epoch, sum(len(topic.partitions) for topic in request.topics)))
        if request.session_epoch > 0 and refusals:
            return FetchResponse(error_code=refusals.pop(), responses=[])
        return await original(request, context)

    stage.handle(FETCH, handle)
    return told


def test_partitions_are_named_once_and_epochs_count_the_fetches(stage: Stage) -> None:
    stage.create(partitions=PARTITIONS)
    told = sessions_told(stage, [])
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp(number) for number in range(PARTITIONS)])
        poll_until(consumer, lambda: len(told) >= 4)
        stage.write(2, 5)
        assert values(read(consumer, 5)) == [0, 1, 2, 3, 4]
        poll_until(consumer, lambda: told[-1][1] == 0)
    assert told.pop() == (-1, 0), "closing ends it"
    assert [epoch for epoch, _ in told] == list(range(len(told)))
    assert told[0] == (0, PARTITIONS)
    assert max(named for _, named in told[1:]) == 1, "only the one that moved"


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
        ErrorCode.INCONSISTENT_TOPIC_ID,
        ErrorCode.UNKNOWN_TOPIC_ID,
    ],
)
def test_a_session_that_the_broker_refuses_is_begun_anew(stage: Stage, code: ErrorCode) -> None:
    stage.create(partitions=PARTITIONS)
    refusals = [code, code]
    told = sessions_told(stage, refusals)
    with stage.consumer(group_id=None) as consumer:
        consumer.assign([tp(number) for number in range(PARTITIONS)])
        poll_until(consumer, lambda: not refusals)
        stage.write(1, 3)
        assert values(read(consumer, 3)) == [0, 1, 2]
    assert told[:5] == [(0, PARTITIONS), (1, 0), (0, PARTITIONS), (1, 0), (0, PARTITIONS)]


def test_a_broker_that_has_forgotten_all_sessions_is_read_on(stage: Stage) -> None:
    stage.create(partitions=PARTITIONS, records=2)
    with stage.subscribed() as consumer:
        read(consumer, 2 * PARTITIONS)
        stage.run(stage.cluster._broker._cluster.fetch_sessions[1].clear)
        stage.write(3, 2)
        assert values(read(consumer, 2)) == [2, 3]


def test_closing_ends_the_sessions_although_a_fetch_is_held_back(stage: Stage) -> None:
    stage.create(partitions=PARTITIONS)
    told = sessions_told(stage, [])
    with stage.consumer(group_id=None, fetch_max_wait_ms=30_000, request_timeout_ms=60_000) as consumer:
        consumer.assign([tp(0)])
        stage.write(0, 1)
        read(consumer, 1)
        poll_until(consumer, lambda: len(told) >= 2)
        assert stage.run(lambda: len(stage.cluster._broker._cluster.fetch_sessions[1]._sessions)) == 1
    assert told[-1] == (-1, 0)
    assert stage.run(lambda: len(stage.cluster._broker._cluster.fetch_sessions[1]._sessions)) == 0


def test_a_broker_that_does_not_answer_does_not_keep_it_from_closing(stage: Stage) -> None:
    stage.create(records=1)
    with stage.subscribed() as consumer:
        read(consumer, 1)
        unanswered = stage.never(FETCH)
    assert unanswered.is_set()
