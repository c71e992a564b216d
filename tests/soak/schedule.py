"""What is done to the groups of a soak, and when: drawn at random from a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from tests.soak.brokers import SESSION_S

__all__ = ["EVENTS", "MAX_POLL_INTERVAL_S", "SHAPES", "Shape", "base_config", "draw_specification"]

MAX_POLL_INTERVAL_S = 10

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
class Shape:
    """A group: the protocols of its members, how many workers it has, and who lives in it from beginning to end."""

    protocols: tuple[str, ...]
    least: int
    most: int
    veterans: tuple[tuple[str, str, str], ...] = ()  # kind, mode, commits
    visitors: int = 0
    stay_s: float = 0.1


#: In a storm nobody does anything but members that come and go, as fast as the broker allows.
SHAPES: Mapping[str, Shape] = {
    "storm": Shape(("consumer",), 0, 0, (("sync", "poll", "sync"), ("async", "poll", "async")), visitors=2),
    "consumer": Shape(("consumer",), 1, 4, (("sync", "iterate", "auto"),)),
    "classic": Shape(("classic",), 1, 3, (("sync", "poll", "explicit"),), visitors=1, stay_s=2.0),
    "sparse": Shape(("consumer", "classic"), 0, 2),
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


def base_config(bootstrap_servers: str, group: str, protocol: str) -> dict[str, object]:
    """Return the configuration of a member, but for what says how it commits."""
    classic = {
        "partition.assignment.strategy": "cooperative-sticky",
        "session.timeout.ms": SESSION_S * 1000,
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
    }


def draw_specification(chance: random.Random, instances: list[str]) -> tuple[str, dict[str, Any]]:
    """Return the kind of a new worker and how it works; ``instances`` are the static names that are free."""
    kind, mode = chance.choice(_WAYS)
    commits = "run" if mode == "run" else chance.choice(_COMMITS[kind])
    static = {"group.instance.id": chance.choice(instances)} if instances and chance.random() < 0.35 else {}
    return kind, {
        "mode": mode,
        "commits": commits,
        "pattern": chance.random() < 0.3,
        "seed": chance.getrandbits(32),
        "config": static,
    }
