"""Resets of a group's offsets by ``kafka-nextgen groups offsets --to-datetime`` and other options.

The rules match ``kafka-consumer-groups.sh --reset-offsets`` (``kafka_nextgen.admin.offset_plans``). Like that script,
it only shows the plan unless ``--execute`` is given. A partition that can't be reset does not prevent the reset of the
others.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import click

from kafka_nextgen.admin import GroupAdmin, OffsetTarget, PlannedOffset
from kafka_nextgen.cli.groups.reset_options import Reset
from kafka_nextgen.cli.options import ClusterOptions
from kafka_nextgen.cli.output import Columns, fail_with, print_json, print_line, print_rows
from kafka_nextgen.cli.partitions import parse_selections
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, ConfigError, KafkaNextgenError
from kafka_nextgen.java_config.properties_file import text_of_file
from kafka_nextgen.types import TopicPartition

__all__ = ["reset_offsets"]

Plan = Mapping[TopicPartition, PlannedOffset]

_COLUMNS: Columns[tuple[TopicPartition, PlannedOffset]] = {
    "PARTITION": lambda item: str(item[0]),
    "COMMITTED": lambda item: None if item[1].committed is None else item[1].committed.offset,
    "NEW": lambda item: item[1].offset,
    "START": lambda item: item[1].start_offset,
    "END": lambda item: item[1].end_offset,
}
_NOTE: Columns[tuple[TopicPartition, PlannedOffset]] = {"NOTE": lambda item: _note(item[1])}
_FILE_FIELDS = (3, 4)  # TOPIC,PARTITION,OFFSET, or the same after GROUP


def reset_offsets(cluster: ClusterOptions, group_id: str, reset: Reset, as_json: bool) -> None:
    """Show the plan and, with ``--execute``, carry it out."""
    reset.check()
    if reset.export and as_json:
        raise click.UsageError("--export and --json print different formats: use only one of them")
    with cluster.open() as admin:
        plan = admin.plan_offsets(group_id, _targets(admin, cluster, group_id, reset), cluster.timeout_s)
        errors = [planned.error for planned in plan.values() if planned.error is not None]
        offsets = {tp: planned.offset for tp, planned in plan.items() if planned.offset is not None}
        members = _count_members(admin, group_id, cluster.timeout_s)
        if reset.execute and isinstance(members, int) and members:
            raise click.ClickException(f"group {group_id} has members ({members}): stop them, or remove them, first")
        if reset.execute and offsets:
            altered = admin.alter_offsets(group_id, offsets, cluster.timeout_s)
            errors += altered.failed.values()
            plan = {tp: planned for tp, planned in plan.items() if tp in altered.done or planned.error is not None}
    _print_plan(plan, reset, as_json)
    if not reset.execute and not reset.export:
        print_line("This is a plan: nothing was changed. Repeat the command with --execute to apply it.", err=True)
    if not reset.execute:
        _warn_of_members(group_id, members)
    fail_with(errors)


def _targets(
    admin: GroupAdmin, cluster: ClusterOptions, group_id: str, reset: Reset
) -> dict[str | TopicPartition, OffsetTarget]:
    if reset.file is not None:
        return _read_file(reset.file, group_id)
    assert reset.target is not None
    if not reset.all_topics:
        chosen = parse_selections(reset.places)
        if not chosen:
            raise ConfigError(f"--topic {' '.join(reset.places)} has no partitions")
        return dict.fromkeys(chosen, reset.target)
    offsets = admin.offsets(group_id, cluster.timeout_s)
    committed = [tp for tp, offset in offsets.items() if offset.committed is not None]
    if not committed:
        raise click.ClickException(f"group {group_id} has no committed offsets: name topics with --topic")
    return dict.fromkeys(committed, reset.target)


def _read_file(path: Path, group_id: str) -> dict[str | TopicPartition, OffsetTarget]:
    """Read lines TOPIC,PARTITION,OFFSET or GROUP,TOPIC,PARTITION,OFFSET; lines of other groups are ignored."""
    targets: dict[str | TopicPartition, OffsetTarget] = {}
    rows = csv.reader(text_of_file(path).removeprefix("\ufeff").splitlines())
    for row in rows:
        if not row:
            continue
        tp, offset = _read_row(row, f"{path}, line {rows.line_num}")
        if len(row) == max(_FILE_FIELDS) and row[0].strip() != group_id:
            continue
        if tp in targets:
            raise ConfigError(f"{path}, line {rows.line_num}: {tp} has an offset already")
        targets[tp] = offset
    if not targets:
        raise ConfigError(f"{path} has no offsets for group {group_id}")
    return targets


def _read_row(row: list[str], where: str) -> tuple[TopicPartition, int]:
    topic, partition, offset = (cell.strip() for cell in row[-3:]) if len(row) in _FILE_FIELDS else ("", "", "")
    if not topic or not all(cell.isascii() and cell.isdigit() for cell in (partition, offset)):
        raise ConfigError(f"{where}: write TOPIC,PARTITION,OFFSET, not {','.join(row)!r}")
    return TopicPartition(topic, int(partition)), int(offset)


def _count_members(admin: GroupAdmin, group_id: str, timeout_s: float) -> int | KafkaNextgenError:
    """Return the number of members, or the reason why it is unknown."""
    try:
        return len(admin.members(group_id, timeout_s))
    except KafkaNextgenError as error:
        is_new = isinstance(error, BrokerError) and error.code == ErrorCode.GROUP_ID_NOT_FOUND  # a reset creates it
        return 0 if is_new else error


def _warn_of_members(group_id: str, members: int | KafkaNextgenError) -> None:
    if isinstance(members, KafkaNextgenError):
        unknown = f"can't find out whether group {group_id} has members, which would make a reset fail: {members}"
        print_line(f"Warning: {unknown}", err=True)
    elif members:
        print_line(f"Warning: group {group_id} has members ({members}), so a reset fails: stop them first", err=True)


def _print_plan(plan: Plan, reset: Reset, as_json: bool) -> None:
    if reset.export:
        for tp, planned in plan.items():
            if planned.offset is not None:
                print_line(f"{tp.topic},{tp.partition},{planned.offset}")
    elif as_json:
        print_json([_document(tp, planned) for tp, planned in plan.items()])
    elif plan:
        has_notes = any(_note(planned) for planned in plan.values())
        print_rows({**_COLUMNS, **_NOTE} if has_notes else _COLUMNS, plan.items())


def _note(planned: PlannedOffset) -> str | None:
    return planned.note if planned.error is None else str(planned.error)


def _document(tp: TopicPartition, planned: PlannedOffset) -> dict[str, object]:
    return {
        "topic": tp.topic,
        "partition": tp.partition,
        "committed": None if planned.committed is None else planned.committed.offset,
        "new": planned.offset,
        "start_offset": planned.start_offset,
        "end_offset": planned.end_offset,
        "note": planned.note,
        "error": planned.error,
    }
