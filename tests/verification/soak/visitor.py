"""Members that come for a moment, one after the other, in one process that lives on: each makes its group rebalance."""

from __future__ import annotations

import json
import signal
import time

from tests.verification.soak.telling import Book, Orders, tell
from tests.verification.soak.told import ToldConsumer, commit
from tests.verification.soak.vitals import read_vitals

STAY_S = 20.0  # at most, until it is given partitions


def visit(book: Book, orders: Orders) -> bool:
    """Join, read a little of what is assigned, and leave; False if it stopped before it was in."""
    with ToldConsumer(book.config()) as consumer:
        consumer.book = book
        consumer.subscribe(book.topics())
        ends_at = time.monotonic() + STAY_S
        while not orders.is_stopped and time.monotonic() < ends_at:
            records = consumer.poll(timeout=0.1)
            book.deliver(records)
            if records:
                commit(consumer, book)
            if consumer.assignment():
                ends_at = min(ends_at, time.monotonic() + book.specification["stay_s"])
        has_joined = bool(consumer.rebalances())
        book.leave()
    return has_joined


def main() -> None:
    book, orders = Book.of_arguments(), Orders()
    signal.signal(signal.SIGTERM, lambda *_: setattr(orders, "is_stopped", True))
    every_s = book.specification["vitals_s"]
    due_at = time.monotonic() + every_s
    tell("started")
    visits = 0
    while not orders.is_stopped:
        visits += visit(book, orders)
        if time.monotonic() > due_at:
            due_at += every_s
            tell("vitals", note=json.dumps(read_vitals([], visits, book.records).as_dict()))
    tell("closed")


if __name__ == "__main__":
    main()
