"""``kafka-nextgen topics``: list, describe, create and delete topics.

``delete`` shows what would be lost and asks: without ``--yes`` nothing is deleted unless someone answers yes. Topics
that are internal to Kafka are never deleted.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import TypeVar

import click

from kafka_nextgen.admin.async_topic_admin import AsyncTopicAdmin
from kafka_nextgen.admin.topics import PartitionDetails, TopicDetails
from kafka_nextgen.admin.values import Results
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, json_option, read_properties
from kafka_nextgen.cli.output import Columns, fail_with, print_json, print_line, print_rows
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, KafkaNextgenError
from kafka_nextgen.requests.create_topics import DEFAULT, CreatedTopic, NewTopic
from kafka_nextgen.requests.describe_topics import DescribedTopic
from kafka_nextgen.types import TopicId

__all__ = ["topics"]

T = TypeVar("T")

_LISTED: Columns[DescribedTopic] = {
    "TOPIC": lambda topic: topic.name,
    "PARTITIONS": lambda topic: len(topic.partitions),
    "REPLICAS": lambda topic: _replicas(topic),
}
_PARTITIONS: Columns[PartitionDetails] = {
    "PARTITION": lambda partition: partition.partition,
    "LEADER": lambda partition: partition.leader,
    "REPLICAS": lambda partition: _nodes(partition.replicas),
    "IN SYNC": lambda partition: _nodes(partition.in_sync),
    "START": lambda partition: partition.start_offset,
    "END": lambda partition: partition.end_offset,
}
_PROBLEM: Columns[PartitionDetails] = {
    "PROBLEM": lambda partition: None if partition.error is None else str(partition.error)
}
_DOOMED: Columns[TopicDetails] = {
    "TOPIC": lambda topic: topic.name,
    "PARTITIONS": lambda topic: len(topic.partitions),
    "RECORDS AT MOST": lambda topic: topic.record_count,
}

_names = click.argument("names", nargs=-1, required=True, metavar="TOPIC...")


def _ask(cluster: ClusterOptions, request: Callable[[AsyncTopicAdmin], Awaitable[T]]) -> T:
    """Return the result of a request to the cluster."""

    async def ask() -> T:
        async with AsyncTopicAdmin(cluster.config) as admin:
            return await request(admin)

    return asyncio.run(ask())


@click.command("list")
@click.option("--internal", "with_internal", is_flag=True, help="List topics that are internal to Kafka as well.")
@json_option
@cluster_options
def list_(cluster: ClusterOptions, with_internal: bool, as_json: bool) -> None:
    """List topics."""
    listed = _ask(cluster, lambda admin: admin.list(cluster.timeout_s))
    shown = [topic for topic in listed if with_internal or not topic.is_internal]
    if as_json:
        print_json([_listed_document(topic) for topic in shown])
    else:
        print_rows(_LISTED, shown)


def _listed_document(topic: DescribedTopic) -> dict[str, object]:
    return {
        "topic": topic.name,
        "id": _id_text(topic.topic_id),
        "is_internal": topic.is_internal,
        "partition_count": len(topic.partitions),
        "replication_factor": _replicas(topic),
    }


def _replicas(topic: DescribedTopic | TopicDetails) -> int | None:
    """Return the number of replicas of the first partition, as Kafka's tools do."""
    return len(topic.partitions[0].replicas) if topic.partitions else None


def _nodes(nodes: Iterable[int]) -> str:
    return ",".join(map(str, nodes))


def _id_text(topic_id: TopicId | None) -> str | None:
    """Return a topic id in the form of Kafka's tools."""
    return None if topic_id is None else base64.urlsafe_b64encode(topic_id.bytes).decode().rstrip("=")


@click.command()
@_names
@click.option("--all", "show_all", is_flag=True, help="Show the whole configuration, not only what the topic sets.")
@json_option
@cluster_options
def describe(cluster: ClusterOptions, names: tuple[str, ...], show_all: bool, as_json: bool) -> None:
    """Describe TOPICs: their partitions with leaders, replicas and offsets, and their configuration.

    START is the first offset of a partition, END the offset of the next record.
    """
    described = _ask(cluster, lambda admin: admin.describe(names, cluster.timeout_s))
    if as_json:
        print_json([_document(topic, show_all) for topic in described.done.values()])
    else:
        for number, topic in enumerate(described.done.values()):
            if number:
                click.echo()
            _print_topic(topic, show_all)
    fail_with([*described.failed.values(), *_config_errors(described.done.values())])


def _config_errors(topics: Collection[TopicDetails]) -> list[KafkaNextgenError]:
    return [topic.config_error for topic in topics if topic.config_error is not None]


def _print_topic(topic: TopicDetails, show_all: bool) -> None:
    internal = ", internal to Kafka" if topic.is_internal else ""
    count = _count(len(topic.partitions), "partition")
    print_line(f"{topic.name}: {count}, {_count(_replicas(topic) or 0, 'replica')}{internal}")
    if topic.topic_id is not None:
        print_line(f"id {_id_text(topic.topic_id)}")
    for config in topic.config:
        if show_all or config.is_own:
            print_line(f"{config.name}={config.value or ''}")
    has_problems = any(partition.error for partition in topic.partitions)
    print_rows({**_PARTITIONS, **_PROBLEM} if has_problems else _PARTITIONS, topic.partitions)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _document(topic: TopicDetails, show_all: bool) -> dict[str, object]:
    return {
        "topic": topic.name,
        "id": _id_text(topic.topic_id),
        "is_internal": topic.is_internal,
        "partition_count": len(topic.partitions),
        "replication_factor": _replicas(topic),
        "config": {config.name: config.typed_value() for config in topic.config if show_all or config.is_own},
        "partitions": [
            {
                "partition": each.partition,
                "leader": each.leader,
                "replicas": list(each.replicas),
                "in_sync": list(each.in_sync),
                "start_offset": each.start_offset,
                "end_offset": each.end_offset,
                "error": each.error,
            }
            for each in topic.partitions
        ],
    }


@click.command()
@_names
@click.option("--partitions", type=click.IntRange(min=1), metavar="N", help="The brokers' default without it.")
@click.option(
    "--replication-factor",
    type=click.IntRange(min=1),
    metavar="N",
    help="Replicas of each partition; the brokers' default without it.",
)
@click.option("--set", "to_set", multiple=True, metavar="NAME=VALUE", help="A key of the topic. Can be repeated.")
@click.option("--if-not-exists", is_flag=True, help="Do nothing about topics that exist.")
@click.option("--dry-run", is_flag=True, help="Let the broker check the request, and create nothing.")
@json_option
@cluster_options
def create(
    cluster: ClusterOptions,
    names: tuple[str, ...],
    partitions: int | None,
    replication_factor: int | None,
    to_set: tuple[str, ...],
    if_not_exists: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Create TOPICs."""
    config = {name: str(value) for name, value in read_properties(to_set, "--set").items()}
    size = (partitions or DEFAULT, replication_factor or DEFAULT)
    new = [NewTopic(name, *size, config) for name in dict.fromkeys(names)]
    created = _ask(cluster, lambda admin: admin.create(new, validate_only=dry_run, timeout=cluster.timeout_s))
    failed = _without(created.failed, ErrorCode.TOPIC_ALREADY_EXISTS if if_not_exists else None)
    if as_json:
        print_json([_created_document(name, created, failed, dry_run) for name in created])
    else:
        for topic in created.done.values():
            print_line(f"{'Would create' if dry_run else 'Created'} {topic.name}{_size(topic)}.")
        for name in created.failed.keys() - failed.keys():
            print_line(f"{name} exists already.")
    fail_with(failed.values())


def _without(failed: Mapping[str, KafkaNextgenError], code: ErrorCode | None) -> dict[str, KafkaNextgenError]:
    """Return the errors except those with this code."""
    return {
        name: error for name, error in failed.items() if not (isinstance(error, BrokerError) and error.code == code)
    }


def _size(topic: CreatedTopic) -> str:
    if topic.partitions < 0:
        return ""
    return f" with {_count(topic.partitions, 'partition')} and {_count(topic.replication_factor, 'replica')}"


def _created_document(
    name: str, created: Results[str, CreatedTopic], failed: Mapping[str, KafkaNextgenError], dry_run: bool
) -> dict[str, object]:
    topic = created.done.get(name)
    has_size = topic is not None and topic.partitions >= 0
    return {
        "topic": name,
        "created": topic is not None and not dry_run,
        "partition_count": topic.partitions if topic is not None and has_size else None,
        "replication_factor": topic.replication_factor if topic is not None and has_size else None,
        "error": failed.get(name),
    }


@click.command()
@_names
@click.option("-y", "--yes", is_flag=True, help="Delete without asking.")
@click.option("--if-exists", is_flag=True, help="Do nothing about topics that do not exist.")
@json_option
@cluster_options
def delete(cluster: ClusterOptions, names: tuple[str, ...], yes: bool, if_exists: bool, as_json: bool) -> None:
    """Delete TOPICs with all their records, after a question that --yes answers.

    Nothing is deleted if one of them does not exist or is internal to Kafka.
    """
    if as_json and not yes:
        raise click.UsageError("--json asks no questions: confirm with --yes")
    described = _ask(cluster, lambda admin: admin.describe(names, cluster.timeout_s))
    fail_with(_without(described.failed, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if if_exists else None).values())
    doomed = described.done
    if internal := [topic.name for topic in doomed.values() if topic.is_internal]:
        raise click.ClickException(f"{', '.join(internal)} is internal to Kafka, and was not deleted")
    if doomed and not yes:
        _confirm(doomed.values())
    ids = {topic.name: topic.topic_id for topic in doomed.values()}
    deleted = _ask(cluster, lambda admin: admin.delete(ids, cluster.timeout_s)) if ids else Results[str, None]({}, {})
    if as_json:
        print_json([_deleted_document(name, deleted) for name in described])
    else:
        for name in described:
            if name not in deleted.failed:
                print_line(f"Deleted {name}." if name in deleted.done else f"{name} does not exist.")
    fail_with(deleted.failed.values())


def _confirm(doomed: Collection[TopicDetails]) -> None:
    """Ask whether to delete these topics. Raises an error unless the answer is yes."""
    print_rows(_DOOMED, doomed)
    what = "this topic and its" if len(doomed) == 1 else f"these {len(doomed)} topics and their"
    try:
        is_confirmed = click.confirm(f"Delete {what} records?", default=False)
    except click.Abort:  # the end of stdin, or Ctrl-C
        click.echo()
        is_confirmed = False
    if not is_confirmed:
        raise click.ClickException("nothing was deleted (--yes deletes without asking)")


def _deleted_document(name: str, deleted: Results[str, None]) -> dict[str, object]:
    return {"topic": name, "deleted": name in deleted.done, "error": deleted.failed.get(name)}


@click.group(commands=[list_, describe, create, delete])
def topics() -> None:
    """Look at topics, create and delete them."""
