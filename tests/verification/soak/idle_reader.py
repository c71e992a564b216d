"""A reader by ``assign()`` that commits by itself: ``python -m tests.verification.soak.idle_reader SPECIFICATION``.

The specification is a JSON object.

Of its topic all is read soon. From then on it polls, or waits in ``run`` (``mode``), and its offsets have to stay.
"""

from __future__ import annotations

import signal

from kafka_nextgen import Consumer, KafkaNextgenError, Record
from tests.verification.soak.places import partition_at, places_of
from tests.verification.soak.telling import Book, Orders, tell

PARTITIONS = 2


def read(consumer: Consumer, book: Book, orders: Orders) -> None:
    while not orders.is_stopped:
        try:
            book.deliver(consumer.poll(timeout=0.5))
        except KafkaNextgenError as error:
            tell("trouble", note=repr(error))  # the next poll takes its time, also if it raises again


def run(consumer: Consumer, book: Book) -> None:
    def handle(record: Record) -> None:
        book.deliver([record])

    tell("started")
    consumer.run(handle)


def main() -> None:
    book, orders = Book.of_arguments(), Orders()
    partitions = [partition_at(book.prefix, number) for number in range(PARTITIONS)]
    with Consumer(book.config()) as consumer:
        tell("assigned", partitions=places_of(partitions))
        consumer.assign(partitions)
        if book.specification["mode"] == "run":
            run(consumer, book)
        else:
            signal.signal(signal.SIGTERM, lambda *_: setattr(orders, "is_stopped", True))
            tell("started")
            read(consumer, book, orders)
    tell("revoked", partitions=places_of(partitions))
    tell("closed")


if __name__ == "__main__":
    main()
