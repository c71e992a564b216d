"""``kafka-nextgen groups offsets``: show, set, delete or reset committed offsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import click

from kafka_nextgen.admin import GroupAdmin, GroupOffset, OffsetTarget
from kafka_nextgen.admin.arguments import OffsetSpec
from kafka_nextgen.cli.groups.reset_options import Reset, reset_options
from kafka_nextgen.cli.groups.resetting import reset_offsets
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, json_option
from kafka_nextgen.cli.output import Columns, fail_with, print_json, print_rows
from kafka_nextgen.cli.partitions import parse_selections
from kafka_nextgen.errors import ConfigError, KafkaNextgenError
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.types import TopicPartition

__all__ = ["offset_document", "offsets", "print_offsets"]

#: A column: its title, and its text for a partition and its offset.
_COLUMNS: Columns[tuple[TopicPartition, GroupOffset]] = {
    "PARTITION": lambda item: str(item[0]),
    "COMMITTED": lambda item: None if item[1].committed is None else item[1].committed.offset,
    "END": lambda item: item[1].end_offset,
    "LAG": lambda item: item[1].lag,
    "MEMBER": lambda item: item[1].member_id,
}
#: The additional column if records behind a committed offset are gone.
_START: Columns[tuple[TopicPartition, GroupOffset]] = {"START": lambda item: item[1].start_offset}
_PROBLEM: Columns[tuple[TopicPartition, GroupOffset]] = {
    "PROBLEM": lambda item: None if item[1].error is None else str(item[1].error),
}


@click.command(short_help="Show, change or reset committed offsets.")
@click.argument("group_id", metavar="GROUP")
@click.option(
    "--set",
    "to_set",
    multiple=True,
    metavar="PARTITIONS=OFFSET",
    help="Commit an offset, earliest or latest for a topic, or partitions such as orders[0-3]. Can be repeated.",
)
@click.option(
    "--delete",
    "to_delete",
    multiple=True,
    metavar="PARTITIONS",
    help="Delete the committed offsets of a topic, or of partitions such as orders[0-3]. Can be repeated.",
)
@reset_options
@json_option
@cluster_options
def offsets(
    cluster: ClusterOptions,
    group_id: str,
    to_set: tuple[str, ...],
    to_delete: tuple[str, ...],
    reset: Reset,
    as_json: bool,
) -> None:
    """Show GROUP's committed offsets, its lag, and the owners of the partitions.

    LAG counts the records that can be read, not those that retention deleted; START shows where the log then begins.

    With --set or --delete, change the committed offsets first. The group must not have members: their commits would
    undo the change.

    The options from --to-earliest to --from-file plan a reset of topics, of partitions or of all committed offsets. Add
    --execute to apply the plan.
    """
    if reset.is_asked:
        if to_set or to_delete:
            raise click.UsageError("--set and --delete can't be combined with a reset: use two commands")
        reset_offsets(cluster, group_id, reset, as_json)
        return
    words_to_set, words_to_delete = _parse_targets(to_set), parse_selections(to_delete)
    errors: list[KafkaNextgenError] = []
    with cluster.open() as admin:
        targets = _with_partitions(admin, cluster, group_id, words_to_set)
        to_forget = _committed(admin, cluster, group_id, words_to_delete)
        if targets:
            errors += admin.alter_offsets(group_id, targets, cluster.timeout_s).failed.values()
        if to_forget:
            errors += admin.delete_offsets(group_id, to_forget, cluster.timeout_s).failed.values()
        if errors and len(errors) == len(targets) + len(to_forget):
            fail_with(errors)
        found = admin.offsets(group_id, cluster.timeout_s)
    if as_json:
        print_json([offset_document(partition, offset) for partition, offset in found.items()])
    else:
        print_offsets(found)
    fail_with(errors)


def print_offsets(offsets: Mapping[TopicPartition, GroupOffset]) -> None:
    """Print a table of partitions."""
    columns = dict(_COLUMNS)
    if any(map(_is_behind_the_start, offsets.values())):
        columns |= _START
    if any(offset.error for offset in offsets.values()):
        columns |= _PROBLEM
    print_rows(columns, offsets.items())


def _is_behind_the_start(offset: GroupOffset) -> bool:
    return offset.committed is not None and (offset.start_offset or 0) > offset.committed.offset


def offset_document(partition: TopicPartition, offset: GroupOffset) -> dict[str, object]:
    """Return a partition with its committed offset, for JSON."""
    return {
        "topic": partition.topic,
        "partition": partition.partition,
        "committed": None if offset.committed is None else offset.committed.offset,
        "leader_epoch": None if offset.committed is None else offset.committed.leader_epoch,
        "metadata": None if offset.committed is None else offset.committed.metadata,
        "start_offset": offset.start_offset,
        "end_offset": offset.end_offset,
        "lag": offset.lag,
        "member_id": offset.member_id,
        "error": offset.error,
    }


def _with_partitions(
    admin: GroupAdmin, cluster: ClusterOptions, group_id: str, targets: Mapping[str | TopicPartition, OffsetSpec]
) -> dict[TopicPartition, OffsetSpec]:
    """Replace each topic by its partitions."""
    found: dict[TopicPartition, OffsetSpec] = {}
    topics: dict[str | TopicPartition, OffsetTarget] = {
        topic: OffsetReset.LATEST for topic in targets if isinstance(topic, str)
    }
    if topics:
        plan = admin.plan_offsets(group_id, topics, cluster.timeout_s)  # for the partitions that it names
        found = {tp: targets[tp.topic] for tp in plan}
    return found | {tp: target for tp, target in targets.items() if not isinstance(tp, str)}


def _committed(
    admin: GroupAdmin, cluster: ClusterOptions, group_id: str, places: Iterable[str | TopicPartition]
) -> frozenset[TopicPartition]:
    """Replace each topic by its partitions with a committed offset. Raises ``ClickException`` if it has none."""
    topics = {place for place in places if isinstance(place, str)}
    offsets = admin.offsets(group_id, cluster.timeout_s) if topics else {}
    found = {tp for tp, offset in offsets.items() if tp.topic in topics and offset.committed is not None}
    if missing := topics - {tp.topic for tp in found}:
        raise click.ClickException(f"group {group_id} has no committed offsets of {', '.join(sorted(missing))}")
    return frozenset(found | {place for place in places if not isinstance(place, str)})


def _parse_targets(words: tuple[str, ...]) -> dict[str | TopicPartition, OffsetSpec]:
    targets: dict[str | TopicPartition, OffsetSpec] = {}
    for word in words:
        partitions, equals, offset = word.rpartition("=")
        if not equals:
            raise ConfigError(f"--set takes PARTITIONS=OFFSET, not {word!r}")
        targets.update(dict.fromkeys(parse_selections(partitions.split()), _parse_offset(offset)))
    return targets


def _parse_offset(word: str) -> OffsetSpec:
    if word in (OffsetReset.EARLIEST.value, OffsetReset.LATEST.value):
        return OffsetReset(word)
    if not (word.isascii() and word.isdigit()):
        raise ConfigError(f"--set takes an offset, earliest or latest, not {word!r}")
    return int(word)
