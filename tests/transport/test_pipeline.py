"""The order of the requests of a connection."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import DecodeError, DisconnectedError
from kafka_nextgen.transport.pipeline import PendingRequest, Pipeline
from kafka_nextgen.transport.waiting import Deadline, EagerFuture
from kafka_nextgen.wire.apis import METADATA, Answer


def add(pipeline: Pipeline, *, for_login: bool = False) -> PendingRequest:
    reply: EagerFuture[Answer] = EagerFuture()
    pending = PendingRequest(METADATA, 13, Deadline(30.0, "the question"), reply, for_login, timeout_s=30.0)
    pipeline.add(pending)
    return pending


async def test_only_so_many_requests_are_out_and_an_answer_makes_room() -> None:
    pipeline = Pipeline(max_in_flight=2)
    first, second, third = add(pipeline), add(pipeline), add(pipeline)
    assert list(pipeline.to_send(now=0.0)) == [first, second]
    assert list(pipeline.to_send(now=0.0)) == []
    assert pipeline.answered(first.correlation_id) is first
    assert list(pipeline.to_send(now=5.0)) == [third]
    assert (second.due_at, third.due_at) == (30.0, 35.0)


async def test_a_request_that_nobody_waits_for_any_more_is_not_sent_but_one_that_was_sent_keeps_its_place() -> None:
    pipeline = Pipeline(max_in_flight=1)
    first, second, third = add(pipeline), add(pipeline), add(pipeline)
    assert list(pipeline.to_send(now=0.0)) == [first]
    first.reply.cancel()
    second.reply.cancel()
    assert list(pipeline.to_send(now=0.0)) == []
    assert pipeline.answered(first.correlation_id) is first
    assert list(pipeline.to_send(now=0.0)) == [third]


async def test_an_answer_out_of_order_or_to_nothing_is_an_error() -> None:
    pipeline = Pipeline(max_in_flight=5)
    with pytest.raises(DecodeError, match="correlation id 0 does not belong to any request"):
        pipeline.answered(0)
    add(pipeline), add(pipeline)
    list(pipeline.to_send(now=0.0))
    with pytest.raises(DecodeError, match=r"correlation id 1 arrived instead of 0 \(Metadata v13\)"):
        pipeline.answered(1)


async def test_the_end_is_told_to_whoever_waits_sent_or_not() -> None:
    pipeline = Pipeline(max_in_flight=1)
    waiting = [add(pipeline), add(pipeline)]
    list(pipeline.to_send(now=0.0))
    pipeline.fail_all(DisconnectedError("gone"))
    assert [str(pending.reply.exception()) for pending in waiting] == ["gone", "gone"]
    assert (len(pipeline), pipeline.oldest) == (0, None)


async def test_while_a_login_is_renewed_only_its_requests_are_sent_and_before_all_others() -> None:
    pipeline = Pipeline(max_in_flight=2)
    first = add(pipeline)
    pipeline.on_hold = True
    assert list(pipeline.to_send(10.0)) == []
    login = add(pipeline, for_login=True)
    assert list(pipeline.to_send(10.0)) == [login]
    pipeline.on_hold = False
    assert list(pipeline.to_send(20.0)) == [first]
    assert (login.sent_at, first.sent_at, pipeline.oldest) == (10.0, 20.0, login)
