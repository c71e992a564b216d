"""What the tests of the shop have in common: its topics, and workers in threads of the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest
from shop.invoicing import Invoicing
from shop.mailing import Mailing

from kafka_nextgen import Consumer, StopHandle


class Shop:
    """The topics of one test, whose names no other test has."""

    def __init__(self, create: Callable[..., str]) -> None:
        self.orders, self.invoices = create("orders", partitions=2), create("invoices")
        self.rejected, self.dead = create("rejected"), create("dead")


@pytest.fixture
def shop(kafka_topic_factory: Callable[..., str]) -> Shop:
    return Shop(kafka_topic_factory)


@pytest.fixture
def invoicing(shop: Shop, kafka_bootstrap_servers: str) -> Callable[..., Invoicing]:
    """A function that creates a worker: ``invoicing(consumer, "a", invoice_of=...)``."""

    def create(consumer: Consumer[bytes, bytes], name: str, **more: Any) -> Invoicing:
        name = f"{shop.invoices}-{name}"  # transactional ids are shared by all tests, too
        return Invoicing(
            consumer, kafka_bootstrap_servers, name, invoices=shop.invoices, rejected=shop.rejected, **more
        )

    return create


@pytest.fixture
def orders_consumer(shop: Shop, kafka_consumer: Callable[..., Consumer]) -> Callable[..., Consumer]:
    """A function that creates a consumer of orders, as invoicing needs it."""

    def create(**more: object) -> Consumer[bytes, bytes]:
        return kafka_consumer(shop.orders, enable_auto_commit=False, isolation_level="read_committed", **more)

    return create


@pytest.fixture
def started() -> Iterator[Callable[..., Callable[[], None]]]:
    """A function that starts a worker in a thread, and returns one that stops it; the end of the test does so, too.

    What the worker raises is raised there.
    """
    with ThreadPoolExecutor() as threads, ExitStack() as stack:

        def start(worker: Invoicing | Mailing) -> Callable[[], None]:
            handle = StopHandle()
            running = threads.submit(worker.run, handle)

            def stop() -> None:
                handle.stop()
                running.result()

            stack.callback(stop)
            return stop

        yield start
