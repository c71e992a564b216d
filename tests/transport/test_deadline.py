"""Waiting for events, and requests that are sent in the order in which they were made."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen.errors import BrokerError, RequestTimeoutError
from kafka_nextgen.transport.concurrency import SendQueue
from kafka_nextgen.transport.waiting import Deadline, EagerFuture, wait_for_event
from kafka_nextgen.wire.apis import Answer
from kafka_nextgen.wire.messages import OffsetCommitResponse

from .scripted import now, turns


async def test_it_is_told_whether_the_event_came() -> None:
    event = asyncio.Event()
    assert not await wait_for_event(event, 0)
    event.set()
    assert await wait_for_event(event, 0)


async def test_a_cancellation_that_comes_together_with_the_event_is_not_forgotten() -> None:
    event = asyncio.Event()
    waiting = asyncio.ensure_future(wait_for_event(event, 20))
    await turns(3)
    event.set()
    await turns(1)  # the event is heard of, but not yet by whoever waits for it
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_deadline_allows_its_timeout_and_no_more() -> None:
    reply: EagerFuture[Answer] = EagerFuture()
    deadline, began = Deadline(5.0, "a call"), now()
    deadline.limit(reply)
    with pytest.raises(RequestTimeoutError, match="a call: timed out after 5 s"):
        await reply
    assert now() - began == pytest.approx(5.0)
    deadline.restart(100.0)
    assert [deadline.left_s(at) for at in (100.0, 103.0, 106.0)] == [5.0, 2.0, 0.0]


async def test_a_pause_that_would_end_at_the_deadline_is_not_begun() -> None:
    deadline, began = Deadline(5.0, "a call"), now()
    with pytest.raises(RequestTimeoutError):
        await deadline.pause(5.0)
    assert now() == began
    await deadline.pause(4.75)
    assert deadline.left_s() == pytest.approx(0.25)


async def test_an_attempt_that_the_deadline_cut_off_is_not_the_last_failure() -> None:
    deadline = Deadline(5.0, "a call")
    await deadline.pause(4.0, BrokerError("the group is rebalancing", code=27))
    await asyncio.sleep(1.0)  # of turned time
    with pytest.raises(RequestTimeoutError, match="after 5 s; the last failure was: the group is rebalancing"):
        await deadline.pause(1.0, RequestTimeoutError("a request: timed out after 0 s"))


async def test_an_attempt_that_timed_out_before_the_deadline_is_the_last_failure() -> None:
    deadline = Deadline(5.0, "a call")
    await deadline.pause(1.0, BrokerError("the group is rebalancing", code=27))
    with pytest.raises(RequestTimeoutError, match="the last failure was: a request: timed out after 1 s"):
        await deadline.pause(4.0, RequestTimeoutError("a request: timed out after 1 s"))


ANSWER = OffsetCommitResponse()


class Way:
    """Requests that each wait for an event, as for a coordinator that is looked up, before they are ``sent``."""

    def __init__(self) -> None:
        self.queue = SendQueue()
        self.sent: list[str] = []
        self.replies: dict[str, EagerFuture[Answer]] = {}

    def ask(self, name: str, found: asyncio.Event | None = None, within_s: float = 20.0) -> asyncio.Task[Answer]:
        async def begin() -> EagerFuture[Answer]:
            if found is not None:
                await found.wait()
            self.sent.append(name)
            self.replies[name] = EagerFuture()
            return self.replies[name]

        return asyncio.ensure_future(self.queue.send(begin, Deadline(within_s, name)))


async def test_one_that_pauses_is_not_overtaken() -> None:
    way, found = Way(), asyncio.Event()
    asks = [way.ask("5", found), way.ask("9")]
    await turns()
    assert way.sent == []
    found.set()
    await turns()
    assert way.sent == ["5", "9"], "the second waits for no answer"
    for name in way.sent:
        way.replies[name].set_result(ANSWER)
    assert await asyncio.gather(*asks) == [ANSWER, ANSWER]


async def test_one_that_gives_up_is_never_sent_and_lets_the_next_one_go() -> None:
    way = Way()
    first, second, third = way.ask("5", asyncio.Event()), way.ask("7"), way.ask("9")
    await turns()
    second.cancel()
    await turns()
    assert way.sent == [], "who leaves the middle of the queue lets nobody past the first"
    first.cancel()
    await turns()
    assert way.sent == ["9"]
    third.cancel()


async def test_one_whose_time_is_over_before_its_turn_hears_of_that() -> None:
    way = Way()
    first = way.ask("5", asyncio.Event())
    with pytest.raises(RequestTimeoutError, match="9: timed out after 0 s"):
        await way.ask("9", within_s=0)
    first.cancel()
