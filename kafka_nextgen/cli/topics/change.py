"""``kafka-nextgen topics create`` and ``delete``.

``delete`` shows how many records would be lost, and asks for confirmation unless ``--yes`` is given. Topics that are
internal to Kafka are never deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import click

from kafka_nextgen.admin.topics import TopicDetails
from kafka_nextgen.admin.values import Results
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, json_option, read_properties
from kafka_nextgen.cli.output import Columns, fail_with, print_json, print_line, print_rows
from kafka_nextgen.cli.topics.asking import ask, count_of, names_argument
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, KafkaNextgenError
from kafka_nextgen.requests.create_topics import DEFAULT, CreatedTopic, NewTopic

__all__ = ["create", "delete"]

_DOOMED: Columns[TopicDetails] = {
    "TOPIC": lambda topic: topic.name,
    "PARTITIONS": lambda topic: len(topic.partitions),
    "RECORDS AT MOST": lambda topic: topic.record_count,
}


@click.command()
@names_argument
@click.option(
    "--partitions", type=click.IntRange(min=1), metavar="N", help="How many. Default: the brokers' num.partitions."
)
@click.option(
    "--replication-factor",
    type=click.IntRange(min=1),
    metavar="N",
    help="Replicas of each partition. Default: the brokers' default.replication.factor.",
)
@click.option(
    "--set",
    "to_set",
    multiple=True,
    metavar="NAME=VALUE",
    help="A configuration key of the topic, such as retention.ms=3600000. Can be repeated.",
)
@click.option("--if-not-exists", is_flag=True, help="Skip topics that exist.")
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
    created = ask(cluster, lambda admin: admin.create(new, validate_only=dry_run, timeout=cluster.timeout_s))
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
    return f" with {count_of(topic.partitions, 'partition')} and {count_of(topic.replication_factor, 'replica')}"


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


@click.command(short_help="Delete topics and all their records.")
@names_argument
@click.option("-y", "--yes", is_flag=True, help="Delete without asking.")
@click.option("--if-exists", is_flag=True, help="Skip topics that do not exist.")
@json_option
@cluster_options
def delete(cluster: ClusterOptions, names: tuple[str, ...], yes: bool, if_exists: bool, as_json: bool) -> None:
    """Delete TOPICs and all their records, after a confirmation.

    Nothing is deleted if one of them does not exist or is internal to Kafka.
    """
    if as_json and not yes:
        raise click.UsageError("--json can't ask for confirmation: add --yes")
    described = ask(cluster, lambda admin: admin.describe(names, cluster.timeout_s))
    fail_with(_without(described.failed, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if if_exists else None).values())
    doomed = described.done
    if internal := [topic.name for topic in doomed.values() if topic.is_internal]:
        raise click.ClickException(f"{', '.join(internal)} is internal to Kafka, and was not deleted")
    if doomed and not yes:
        _confirm(doomed.values())
    ids = {topic.name: topic.topic_id for topic in doomed.values()}
    deleted = ask(cluster, lambda admin: admin.delete(ids, cluster.timeout_s)) if ids else Results[str, None]({}, {})
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
        raise click.ClickException("nothing was deleted (--yes deletes without a question)")


def _deleted_document(name: str, deleted: Results[str, None]) -> dict[str, object]:
    return {"topic": name, "deleted": name in deleted.done, "error": deleted.failed.get(name)}
