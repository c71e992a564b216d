"""Draw docs/concepts/plots/two-rebalances.svg: one rebalance under the classic and under the new protocol.

    python docs/tools/make_two_rebalances.py

Two consumers share six partitions of the embedded broker, and a third joins. Intervals are Kafka's defaults, and time
is advanced instead of waited for. The picture shows what the consumers wrote into the group's history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from attrs import frozen
from pictures import COLOURS, Picture

from kafka_nextgen import Consumer, EventLog
from kafka_nextgen.history.events import Event, EventKind, partitions_of
from kafka_nextgen.testing import Clock, Cluster

PICTURE = Path(__file__).parents[1] / "concepts" / "plots" / "two-rebalances.svg"
TOPIC, PARTITIONS, NAMES = "orders", 6, ("worker-1", "worker-2", "worker-3")
#: The steps in which time is advanced, and the time that is drawn, before and after the third member starts.
STEP_S, BEFORE_S, AFTER_S = 0.1, 1.0, 11.0
TICK_S = 1e-8
#: How often each of them polls: the records of worker-1 take it this long.
POLLS_EVERY_S = (5.0, 0.1, 0.1)
LEFT, TOP, LANE, BLOCK = 84, 76, 24, 216
PER_S = (Picture.WIDTH - LEFT - 16) / (BEFORE_S + AFTER_S)


@frozen
class Span:
    """A time in which a partition has this reader, or none; in seconds since the third member started."""

    partition: int
    reader: str | None
    began_s: float
    ended_s: float

    def __str__(self) -> str:
        """The text alternative of its bar."""
        what = f"read by {self.reader}" if self.reader else f"paused for {self.ended_s - self.began_s:.1f} s"
        return f"{TOPIC}[{self.partition}]: {what}"


class StillClock(Clock):
    """A clock that only ``advance`` moves, but for a tick at each reading: every run has the same times."""

    def __init__(self) -> None:
        super().__init__()
        self._readings = count()

    def monotonic(self) -> float:
        """The seconds advanced so far; a timer that rounding has put just after a step still expires."""
        return self.advanced_s + next(self._readings) * TICK_S

    def time(self) -> float:
        """The same, as a time of day."""
        return 1_700_000_000 + self.monotonic()


class Kept:
    """A sink that keeps the events of a consumer."""

    def __init__(self, events: list[Event]) -> None:
        self._events = events

    def write(self, event: Event) -> None:
        """Keep it."""
        self._events.append(event)

    def close(self, timeout_s: float = 0) -> None:
        """Nothing to close."""


def rebalance(protocol: str) -> list[Span]:
    """Let the third member join under this protocol, and return who read what when."""
    events: list[Event] = []
    settings = {"partition_assignment_strategy": "range"} if protocol == "classic" else {}
    clock = StillClock()
    with ExitStack() as stack:
        cluster = stack.enter_context(Cluster(clock=clock))
        cluster.create_topic(TOPIC, PARTITIONS)

        def join(name: str) -> Consumer:
            consumer = Consumer(
                bootstrap_servers=cluster.bootstrap_servers,
                group_id="billing",
                client_id=name,
                group_protocol=protocol,
                **settings,
            )
            consumer.hooks.add(EventLog(Kept(events)))
            stack.enter_context(consumer)
            consumer.subscribe([TOPIC])
            return consumer

        members = [join(NAMES[0])]
        _run(clock, members, 4, 1)
        members.append(join(NAMES[1]))
        _run(clock, members, 19, 1)
        began_s = clock.time()
        members.append(join(NAMES[2]))
        _run(clock, members, AFTER_S, STEP_S)
        return sorted(_spans(events.copy(), began_s), key=lambda span: (span.partition, span.began_s))


def _run(clock: Clock, members: Sequence[Consumer], seconds: float, step_s: float) -> None:
    for step in range(round(seconds / step_s)):
        clock.advance(step_s)
        for member, every_s in zip(members, POLLS_EVERY_S, strict=False):
            if step % max(1, round(every_s / step_s)) == 0:
                member.poll(0)
                clock.advance(0)  # so that the members' steps have an order


def _spans(events: Iterable[Event], zero_s: float) -> Iterator[Span]:
    """Follow each partition from reader to reader, within the time that is drawn."""
    kept = [event for event in events if event.kind in (EventKind.ASSIGNED, EventKind.REVOKED)]
    for number in range(PARTITIONS):
        changes = [_change(event, zero_s) for event in kept if (TOPIC, number) in partitions_of(event)]
        changes.sort(key=lambda change: (change[0], change[1] is not None))  # given up before it is assigned
        for (began_s, reader), (ended_s, _) in zip(changes, [*changes[1:], (AFTER_S, None)], strict=True):
            if ended_s > -BEFORE_S and began_s < ended_s:
                yield Span(number, reader, max(began_s, -BEFORE_S), ended_s)


def _change(event: Event, zero_s: float) -> tuple[float, str | None]:
    """When partitions got this reader, or none: in steps, since the members act between them."""
    stood_ms = event.ms or 0 if event.kind is EventKind.REVOKED else 0
    reader = event.client if event.kind is EventKind.ASSIGNED else None
    return round((event.at - stood_ms) / 1000 - zero_s, 1), reader


def two_rebalances_picture() -> str:
    """The picture, as it should be."""
    runs = {"classic protocol, range assignor": rebalance("classic"), "new protocol": rebalance("consumer")}
    picture = Picture("One rebalance under two protocols", _told(runs), TOP + BLOCK * len(runs) + 62)
    picture.text(16, 28, "A third consumer joins a group", "title")
    picture.text(16, 49, f"worker-1 is busy: it polls every {POLLS_EVERY_S[0]:g} s", "faint")
    for place, (protocol, spans) in enumerate(runs.items()):
        _draw(picture, TOP + BLOCK * place, protocol, spans)
    y = TOP + BLOCK * len(runs) + 14
    for number, name in enumerate((*NAMES, "paused")):
        picture.rect(16 + 126 * number, y, 18, 18, _colour(name))
        picture.text(40 + 126 * number, y + 14, name)
    return str(picture)


def _draw(picture: Picture, top: float, protocol: str, spans: Sequence[Span]) -> None:
    """One lane for each partition, and the seconds below."""
    picture.text(16, top + 16, protocol, "bold")
    for span in spans:
        y, width = top + 26 + LANE * span.partition, (span.ended_s - span.began_s) * PER_S
        picture.rect(_x(span.began_s), y, width, LANE - 5, _colour(span.reader or "paused"), str(span), round_px=2)
    bottom = top + 26 + LANE * PARTITIONS
    for number in range(PARTITIONS):
        picture.text(16, top + 41 + LANE * number, f"{TOPIC}[{number}]", "small")
    picture.line([(_x(0), top + 22), (_x(0), bottom + 4)])
    for second in range(0, round(AFTER_S), 2):
        picture.text(_x(second), bottom + 18, f"{second} s" if second else "worker-3 joins", "small", "middle")


def _x(second: float) -> float:
    return round(LEFT + (second + BEFORE_S) * PER_S, 1)


def _colour(reader: str) -> str:
    return COLOURS[NAMES.index(reader)] if reader in NAMES else "gap"


def _told(runs: Mapping[str, Sequence[Span]]) -> str:
    """The pauses of both runs, in words."""
    told = [
        f"{protocol}: {'; '.join(str(span) for span in spans if span.reader is None)}"
        for protocol, spans in runs.items()
    ]
    return (
        f"Two consumers share six partitions, and a third joins. {'. '.join(told)}. All other partitions are read on."
    )


if __name__ == "__main__":
    PICTURE.write_text(two_rebalances_picture())
