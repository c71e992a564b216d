"""Where tests run, as specified by pytest's ``--kafka`` option: on the embedded broker, or on a real Kafka."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.testing.coordinator.settings import Profile
from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError

__all__ = ["NEWEST", "QUICK_GROUPS", "NoKafkaError", "Place", "RunningKafka", "parse_place", "start"]

#: The release that is started unless another is named.
NEWEST = "4.4.0"

#: Settings with which groups assign without waiting for further members.
QUICK_GROUPS: Mapping[str, object] = {
    "group.consumer.assignment.interval.ms": 0,
    "group.initial.rebalance.delay.ms": 0,
}

_VERSION = lazy_pattern(r"\d+\.\d+\.\d+")
#: The embedded broker imitates minor releases; bugfix releases of one minor release behave alike.
_RELEASE = lazy_pattern(r"(\d+\.\d+)(\.\d+)?")
_STARTED = ("embedded", "docker", "maven")


@frozen
class Place:
    """``kind`` is embedded, docker, maven or running; ``version`` is Kafka's version, if given.

    ``bootstrap_servers`` is empty unless the cluster is running.
    """

    kind: str
    version: str | None = None
    bootstrap_servers: str = ""

    @property
    def is_embedded(self) -> bool:
        """Whether it is the broker of this library."""
        return self.kind == "embedded"


@frozen
class RunningKafka:
    """A real Kafka; ``stop`` ends it if it was started for the tests."""

    bootstrap_servers: str
    stop: Callable[[], None] = field(repr=False, default=lambda: None)


def parse_place(text: str) -> Place:
    """Read a place such as ``docker``, ``embedded:4.0`` or ``localhost:9092,localhost:9093``.

    Raises ValueError, which says what is possible.
    """
    kind, _, version = text.partition(":")
    if kind in _STARTED and not version:
        return Place(kind)
    release = _RELEASE.fullmatch(version)
    if kind == "embedded" and release is not None:
        return Place(kind, _known(release[1]))
    if kind in _STARTED and _VERSION.fullmatch(version):
        return Place(kind, version)
    if all(re.fullmatch(r".+:\d+", server.strip()) for server in text.split(",")):
        return Place("running", bootstrap_servers=text)
    example = "embedded, embedded:4.0, docker, docker:4.3.0, maven, maven:4.3.0 or localhost:9092"
    raise ValueError(f"{text!r} is not a place where Kafka can be found: use {example}")


def _known(release: str) -> str:
    releases = [each.value for each in Profile]
    if release not in releases:
        raise ValueError(f"the embedded broker behaves like Kafka {', '.join(releases)}, not like {release}")
    return release


def start(place: Place, config: Mapping[str, str]) -> RunningKafka:
    """Start Kafka with these settings of the broker, or return the running one, whose settings do not change.

    Raises NoKafkaError, which says what is missing or why Kafka did not start.
    """
    assert not place.is_embedded
    if place.kind == "running":
        return RunningKafka(place.bootstrap_servers)
    settings = {**{key: str(value) for key, value in QUICK_GROUPS.items()}, **config}
    version = place.version or NEWEST
    if place.kind == "docker":
        from kafka_nextgen.testing.real_kafka.docker import run_container

        return RunningKafka(*run_container(version, settings))
    from kafka_nextgen.testing.real_kafka.maven import run_from_maven

    return RunningKafka(*run_from_maven(version, settings))
