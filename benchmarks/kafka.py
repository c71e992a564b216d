"""The broker that a benchmark runs against: one that was named, or one that is started as the tests do.

That one gets the memory that Kafka's own scripts would give it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar
from uuid import uuid4

import click
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.errors import RequestTimeoutError, UnknownTopicError
from tests.support.waiting import eventually

__all__ = ["check_disk", "create_topic", "delete_topics", "kafka", "which_kafka"]

F = TypeVar("F", bound=Callable[..., object])

#: What Kafka's own scripts give a broker, in the variables of theirs that say otherwise (4.3, bin/kafka-server-start.sh
#: and bin/kafka-run-class.sh). With the small heap that does for tests it would collect garbage all the time.
_JAVA = {
    "KAFKA_HEAP_OPTS": "-Xmx1G -Xms1G",
    "KAFKA_JVM_PERFORMANCE_OPTS": "-server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35"
    " -XX:+ExplicitGCInvokesConcurrent -XX:MaxInlineLevel=15",
}


def which_kafka(command: F) -> F:
    """Give a command the options ``bootstrap_servers`` and ``version``, which ``kafka`` takes."""
    named = click.option(
        "--bootstrap-servers", help="A cluster to use; without it a broker is started as the tests do."
    )
    started = click.option(
        "--kafka", "version", default="4.4.0", show_default=True, help="The broker to start, or `embedded`."
    )
    return named(started(command))


@contextmanager
def kafka(bootstrap_servers: str | None, version: str) -> Iterator[str]:
    """Yield the servers that were given, or those of a broker that runs as long as the context.

    ``version`` is a release of Apache Kafka, or ``embedded``.
    """
    if bootstrap_servers is not None:
        yield bootstrap_servers
        return
    from tests.support.servers import Servers

    servers = Servers()
    try:
        with _unless_said_otherwise(_JAVA):
            server = servers.get(version)
        yield server.bootstrap_servers
    finally:
        servers.stop()


@contextmanager
def _unless_said_otherwise(variables: Mapping[str, str]) -> Iterator[None]:
    """Have these environment variables, where they are not set, as long as the context."""
    added = variables.keys() - os.environ.keys()
    os.environ.update({name: variables[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def create_topic(
    bootstrap_servers: str, partitions: int, config: Mapping[str, str] | None = None, name: str = "benchmark"
) -> str:
    """Create a topic with a name that is not in use, and return that name once the broker serves all partitions.

    A broker that has a new topic still makes its partitions, which may be thousands; a producer would give up.
    """
    topic = f"{name}-{uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    new = NewTopic(topic, num_partitions=partitions, replication_factor=1, config=dict(config or {}))
    admin.create_topics([new])[topic].result(timeout=60)
    all_of_them = [TopicPartition(topic, number) for number in range(partitions)]
    with Consumer({"bootstrap.servers": bootstrap_servers}) as consumer:
        eventually(f"{partitions} partitions of {topic} are served", lambda: _are_served(consumer, all_of_them))
    return topic


def _are_served(consumer: Consumer, partitions: Sequence[TopicPartition]) -> bool:
    try:
        return not consumer.end_offsets(partitions).failed
    except (UnknownTopicError, RequestTimeoutError):
        return False


def delete_topics(bootstrap_servers: str, topics: Iterable[str]) -> None:
    """Delete them, with all that was written to them."""
    admin = AdminClient({"bootstrap.servers": bootstrap_servers})
    for deleted in admin.delete_topics(list(topics)).values():
        deleted.result(timeout=60)


def check_disk(needed_bytes: int) -> None:
    """Raise ClickException if the broker that is started here would fill its disk."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < 2 * needed_bytes:
        raise click.ClickException(
            f"{tempfile.gettempdir()} has {free / 1e9:.1f} GB; {2 * needed_bytes / 1e9:.1f} needed"
        )
