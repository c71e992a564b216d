"""What is done to the groups of a soak, and when: drawn at random from a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from tests.verification.soak.brokers import HURRY, SESSION_S

MAX_POLL_INTERVAL_S = 10

#: Of members that have to stay in, whatever else keeps this machine busy: sessions as Kafka has them by default.
_STEADY_CONFIG: Mapping[str, object] = {"max.poll.interval.ms": 300_000, "default.api.timeout.ms": 30_000}
_STEADY_SESSION_MS = 45_000
STEADY_GROUP_CONFIG = {**HURRY, "consumer.session.timeout.ms": _STEADY_SESSION_MS}

#: How many topics there are.
TOPICS = 3

#: How often each thing is done, relative to the others.
EVENTS: Mapping[str, int] = {
    "join": 16,
    "leave": 6,
    "leave at two SIGTERMs": 3,
    "kill": 5,
    "stop for less than the session": 4,
    "stop for longer than the session": 2,
    "interrupt": 14,
    "pause": 5,
    "be slow": 3,
    "seek back": 5,
    "cut connections": 5,
    "remove": 3,
    "delete a topic": 2,
    "add a partition": 1,
    "empty a group": 2,
    "fail over": 3,
}


@frozen
class Veteran:
    """A member that stays: how it works, its event loop if it is asynchronous, and what the broker lets it in by."""

    kind: str
    mode: str
    commits: str
    loop: str = "asyncio"
    credential: str = ""

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.credential}" if self.credential else self.kind


@frozen
class Shape:
    """A group: the protocols of its members, how many workers it has, and who lives in it from beginning to end.

    In one that ``is_steady`` nothing happens but that credentials change and connections are cut: its members stay in,
    and keep what they have. They read the first ``topics``, which nothing happens to, either.
    """

    protocols: tuple[str, ...]
    least: int
    most: int
    veterans: tuple[Veteran, ...] = ()
    visitors: int = 0
    stay_s: float = 0.1
    topics: int = TOPICS
    is_steady: bool = False


#: In a storm nobody does anything but members that come and go, as fast as the broker allows.
SHAPES: Mapping[str, Shape] = {
    "storm": Shape(
        ("consumer",), 0, 0, (Veteran("sync", "poll", "sync"), Veteran("async", "poll", "async")), visitors=2
    ),
    "consumer": Shape(("consumer",), 1, 4, (Veteran("sync", "iterate", "auto"),)),
    "classic": Shape(("classic",), 1, 3, (Veteran("sync", "poll", "explicit"),), visitors=1, stay_s=2.0),
    "sparse": Shape(("consumer", "classic"), 0, 2),
    "secured": Shape(
        ("consumer",),
        0,
        0,
        (
            Veteran("sync", "poll", "sync", credential="password"),
            Veteran("async", "iterate", "auto", "uvloop", "password"),
            Veteran("sync", "iterate", "auto", credential="certificate"),
            Veteran("async", "poll", "async", "uvloop", "certificate"),
        ),
        topics=1,
        is_steady=True,
    ),
    "classic-secured": Shape(
        ("classic",),
        0,
        0,
        (
            Veteran("async", "poll", "sync", credential="password"),
            Veteran("sync", "poll", "sync", credential="certificate"),
        ),
        topics=1,
        is_steady=True,
    ),
}

_WAYS = (
    ("sync", "poll"),
    ("sync", "poll"),
    ("sync", "iterate"),
    ("sync", "batches"),
    ("sync", "run"),
    ("async", "poll"),
    ("async", "iterate"),
    ("async", "run"),
)
_COMMITS = {"sync": ("sync", "async", "explicit", "auto"), "async": ("sync", "async", "auto")}


def base_config(bootstrap_servers: str, group: str, protocol: str, is_steady: bool = False) -> dict[str, object]:
    classic = {
        "partition.assignment.strategy": "cooperative-sticky",
        "session.timeout.ms": _STEADY_SESSION_MS if is_steady else SESSION_S * 1000,
        "heartbeat.interval.ms": 300,
    }
    return {
        "bootstrap.servers": bootstrap_servers,
        "group.id": group,
        "group.protocol": protocol,
        "auto.offset.reset": "earliest",
        "auto.commit.interval.ms": 500,
        "max.poll.records": 50,
        "max.poll.interval.ms": MAX_POLL_INTERVAL_S * 1000,
        "metadata.max.age.ms": 3000,
        "reconnect.backoff.ms": 50,
        "reconnect.backoff.max.ms": 500,
        "default.api.timeout.ms": 4_000,  # a commit is over long before the member has to poll again
        **(classic if protocol == "classic" else {}),
        **(_STEADY_CONFIG if is_steady else {}),
    }


def draw_specification(chance: random.Random, instances: list[str]) -> tuple[str, dict[str, Any]]:
    """Return the kind of a new worker and how it works; ``instances`` are the static names that are free."""
    kind, mode = chance.choice(_WAYS)
    commits = "run" if mode == "run" else chance.choice(_COMMITS[kind])
    loop = {"loop": chance.choice(("asyncio", "uvloop"))} if kind == "async" else {}
    static = {"group.instance.id": chance.choice(instances)} if instances and chance.random() < 0.35 else {}
    return kind, {
        "mode": mode,
        "commits": commits,
        "pattern": chance.random() < 0.3,
        "seed": chance.getrandbits(32),
        "config": static,
        **loop,
    }
