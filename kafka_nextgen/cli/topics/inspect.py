"""``kafka-nextgen topics list`` and ``describe``."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable

import click

from kafka_nextgen.admin.topics import PartitionDetails, TopicDetails
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, json_option
from kafka_nextgen.cli.output import Columns, fail_with, print_json, print_line, print_rows
from kafka_nextgen.cli.topics.asking import ask, count_of, names_argument
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.requests.describe_topics import DescribedTopic
from kafka_nextgen.types import TopicId

__all__ = ["describe", "list_"]

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


@click.command("list")
@click.option("--internal", "with_internal", is_flag=True, help="List topics that are internal to Kafka, too.")
@json_option
@cluster_options
def list_(cluster: ClusterOptions, with_internal: bool, as_json: bool) -> None:
    """List topics."""
    listed = ask(cluster, lambda admin: admin.list(cluster.timeout_s))
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


@click.command(short_help="Describe topics and their partitions.")
@names_argument
@click.option("--all", "show_all", is_flag=True, help="Show the whole configuration, not only what the topic sets.")
@json_option
@cluster_options
def describe(cluster: ClusterOptions, names: tuple[str, ...], show_all: bool, as_json: bool) -> None:
    """Describe TOPICs: their partitions with leaders, replicas and offsets, and their configuration.

    START is the first offset of a partition, END the offset of the next record.
    """
    described = ask(cluster, lambda admin: admin.describe(names, cluster.timeout_s))
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
    count = count_of(len(topic.partitions), "partition")
    print_line(f"{topic.name}: {count}, {count_of(_replicas(topic) or 0, 'replica')}{internal}")
    if topic.topic_id is not None:
        print_line(f"id {_id_text(topic.topic_id)}")
    for config in topic.config:
        if show_all or config.is_own:
            print_line(f"{config.name}={config.value or ''}")
    has_problems = any(partition.error for partition in topic.partitions)
    print_rows({**_PARTITIONS, **_PROBLEM} if has_problems else _PARTITIONS, topic.partitions)


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
