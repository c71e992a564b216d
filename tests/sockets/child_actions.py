"""What a forked child does with its parent's consumer; every use must be refused."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Awaitable, Callable

from kafka_nextgen import AsyncConsumer, Consumer, MisuseError
from tests.engine.calls import CALLS
from tests.engine.names import TOPIC, tp


def expect_refusal(call: Callable[[], object]) -> None:
    """Run a call that must say that there was a fork."""
    said = "nothing was refused"
    try:  # pytest would take a quarter of a second to import
        call()
    except MisuseError as error:
        said = str(error)
    assert "created before a fork" in said, said


def use(consumer: Consumer) -> None:
    for call in CALLS.values():
        expect_refusal(lambda call=call: call(consumer))  # type: ignore[misc]


def close(consumer: Consumer) -> None:
    consumer.close()
    use(consumer)
    consumer.close(timeout=0, leave="leave")


def leave_a_block(consumer: Consumer) -> None:
    with consumer:
        pass


def fail_in_a_block(consumer: Consumer) -> None:
    try:
        with consumer:
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass


def close_at_exit(consumer: Consumer) -> None:
    atexit.register(consumer.close)


def use_in_a_thread(consumer: Consumer) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            use(consumer)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failures, failures


def make_another(consumer: Consumer) -> None:
    with Consumer(bootstrap_servers=consumer.config.bootstrap_servers, group_id="of-the-child") as another:
        another.subscribe([TOPIC])
        while not another.assignment():  # by then it has joined, however slow the machine is
            another.poll(timeout=0.1)


CHILD_ACTIONS: dict[str, Callable[[Consumer], None]] = {
    "use": use,
    "close": close,
    "leave-a-block": leave_a_block,
    "fail-in-a-block": fail_in_a_block,
    "close-at-exit": close_at_exit,
    "use-in-a-thread": use_in_a_thread,
    "make-another": make_another,
    "nothing": lambda consumer: None,
}


# The same for asyncio, in the child's event loop.


def use_awaiting(consumer: AsyncConsumer) -> None:
    calls: list[Callable[[], Awaitable[object]]] = [
        lambda: consumer.subscribe([TOPIC]),
        lambda: consumer.unsubscribe(),
        lambda: consumer.poll(timeout=0),
        lambda: consumer.__anext__(),
        lambda: consumer.commit(),
        lambda: consumer.committed([tp()]),
        lambda: consumer.position(tp()),
        lambda: consumer.seek(tp(), 0),
        lambda: consumer.pause([tp()]),
    ]
    for call in calls:
        expect_refusal(lambda call=call: asyncio.run(_awaited(call)))  # type: ignore[misc]


async def _awaited(call: Callable[[], Awaitable[object]]) -> None:
    await call()


def close_awaiting(consumer: AsyncConsumer) -> None:
    asyncio.run(consumer.close())
    use_awaiting(consumer)


ASYNC_CHILD_ACTIONS: dict[str, Callable[[AsyncConsumer], None]] = {
    "use": use_awaiting,
    "close": close_awaiting,
    "nothing": lambda consumer: None,
}
