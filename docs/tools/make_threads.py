"""Draw docs/internals/plots/threads.svg: the threads of a consumer, and what crosses between them.

    python docs/tools/make_threads.py

A consumer reads a large answer and writes its history on the embedded broker; the threads are those that it starts.
"""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from pictures import Picture

from kafka_nextgen import Consumer
from kafka_nextgen.engine.application.wakeup import ThreadWakeup
from kafka_nextgen.engine.mailbox import Mailbox
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.engine.reading.record_decoder import MOST_THREADS, SMALL_BYTES, RecordDecoder
from kafka_nextgen.history.event_queue import EventQueue
from kafka_nextgen.testing import Cluster
from kafka_nextgen.transport.io_thread import IoThread

__all__ = ["threads_picture"]

PICTURE = Path(__file__).parents[1] / "internals" / "plots" / "threads.svg"
APPLICATION, CLIENT, TOPIC = "application", "billing", "orders"
WIDE, LEFT, RIGHT, TOP, ROW = 172, 8, 340, 64, 58
#: Each thread: its place and height, its colour, its words.
THREADS = {
    APPLICATION: (LEFT, TOP, 330, "blue", ("your loop and poll()", "rebalance callbacks", "deserializers")),
    f"kafka_nextgen {CLIENT}": (
        RIGHT, TOP, 330, "green", ("I/O: all sockets", "heartbeats, fetches", "commits, small answers")),
    "kafka_nextgen history": (LEFT, TOP + 400, 70, "violet", ("writes the event log",)),
    "kafka-nextgen-decoder": (RIGHT, TOP + 400, 70, "amber", (f"up to {MOST_THREADS}: large answers",)),
}  # fmt: skip


def _named(member: Callable[..., object]) -> str:
    """The name of a class or a method, from the code."""
    return member.__qualname__


#: What crosses between the application's thread and the I/O thread: words, the code in between, and to which side.
CROSSINGS = (
    ("calls", _named(IoThread.submit), "right"),
    ("their results", "Future", "left"),
    ("records", _named(LockedFetches), "left"),
    ("wake-ups", _named(ThreadWakeup.notify), "left"),
    ("callbacks, errors", _named(Mailbox), "left"),
)


def observe() -> set[str]:
    """The names of the threads of a consumer that is at work, without numbers."""
    before = set(threading.enumerate())
    with Cluster(config={"group.consumer.assignment.interval.ms": 0}) as cluster, tempfile.TemporaryDirectory() as logs:
        cluster.create_topic(TOPIC)
        cluster.produce(TOPIC, [b"x" * SMALL_BYTES, b"y" * SMALL_BYTES])
        before |= set(threading.enumerate())
        with Consumer(
            bootstrap_servers=cluster.bootstrap_servers,
            group_id="billing",
            client_id=CLIENT,
            auto_offset_reset="earliest",
            history_log_dir=logs,
        ) as consumer:
            consumer.subscribe([TOPIC])
            cluster.wait_until(lambda: bool(consumer.poll(0.1)), timeout=60)
            names = {thread.name for thread in set(threading.enumerate()) - before}
    return {re.sub(r"(_\d+| /.*)$", "", name) for name in names}


def threads_picture() -> str:
    """The picture, as it should be. Raises ValueError if the consumer has other threads than ``THREADS``."""
    found = observe() | {APPLICATION}
    if found != THREADS.keys():
        raise ValueError(f"THREADS does not have the threads of a consumer: {found ^ THREADS.keys()}")
    picture = Picture("The threads of a consumer, and what crosses between them", _told(), 566)
    picture.text(16, 28, "The threads of a consumer", "title")
    picture.text(16, 49, "and what crosses between them", "faint")
    for name, (x, y, height, colour, words) in THREADS.items():
        picture.rect(x, y, WIDE, height, "fill box", round_px=8)
        picture.rect(x, y, WIDE, 30, colour, round_px=8)
        picture.text(x + WIDE / 2, y + 20, name, "on mono", "middle")
        for number, line in enumerate(words):
            picture.text(x + 8, y + 54 + 20 * number, line, "small")
    for number, (words, code, side) in enumerate(CROSSINGS):
        _cross(picture, TOP + 66 + ROW * number, words, code, side)
    _below(picture)
    picture.text(16, 554, "An assignor of the application has a thread of its own.", "small faint")
    return str(picture)


def _cross(picture: Picture, y: float, words: str, code: str, side: str) -> None:
    ends = [(LEFT + WIDE, y), (RIGHT, y)]
    picture.line(ends if side == "right" else ends[::-1], arrow=True)
    picture.text((LEFT + WIDE + RIGHT) / 2, y - 7, words, "bold", "middle")
    picture.text((LEFT + WIDE + RIGHT) / 2, y + 17, code, "mono faint", "middle")


def _below(picture: Picture) -> None:
    """What goes to the history's thread and to those that decode."""
    bottom, top = TOP + 330, TOP + 400
    picture.line([(LEFT + 40, bottom), (LEFT + 40, top)], arrow=True)
    picture.text(LEFT + 48, bottom + 30, "events", "bold")
    picture.text(LEFT + 48, bottom + 48, _named(EventQueue), "mono faint")
    picture.line(
        [(RIGHT + 20, bottom), (RIGHT + 20, bottom + 58), (LEFT + 150, bottom + 58), (LEFT + 150, top)], arrow=True
    )
    picture.line([(RIGHT + 40, bottom), (RIGHT + 40, top)], arrow=True)
    picture.line([(RIGHT + 56, top), (RIGHT + 56, bottom)], arrow=True)
    picture.text(RIGHT + 64, bottom + 30, "columns", "bold")
    picture.text(RIGHT + 64, bottom + 48, _named(RecordDecoder), "mono faint")


def _told() -> str:
    who = "; ".join(f"{name}: {', '.join(words)}" for name, (*_, words) in THREADS.items())
    what = "; ".join(
        f"{words} ({code}), to the {'I/O' if side == 'right' else 'application'}" for words, code, side in CROSSINGS
    )
    return (
        f"Threads: {who}. Between the application's thread and the I/O thread cross: {what}. Both give events to the "
        "history's thread, and the I/O thread gives large answers to the decoders, which return columns."
    )


if __name__ == "__main__":
    PICTURE.write_text(threads_picture())
