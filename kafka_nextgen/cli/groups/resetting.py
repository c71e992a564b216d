"""``kafka-nextgen groups offsets --to-datetime`` and the other options that reset a group's offsets.

They are those of ``kafka-consumer-groups.sh --reset-offsets`` (4.4.0), with its rules
(``kafka_nextgen.admin.offset_plans``). As there, the plan is only shown unless ``--execute`` is given. A partition that
can't be reset does not prevent the others.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from kafka_nextgen.admin import CURRENT, GroupAdmin, OffsetTarget, PlannedOffset, ShiftBy
from kafka_nextgen.cli.options import ClusterOptions
from kafka_nextgen.cli.output import Columns, fail_with, print_json, print_line, print_rows, utc
from kafka_nextgen.cli.partitions import parse_selections
from kafka_nextgen.cli.times import TIME
from kafka_nextgen.errors import ConfigError, KafkaNextgenError
from kafka_nextgen.properties.offset_reset import ByDuration, OffsetReset
from kafka_nextgen.scanning.times import LAST_MS, moment_ms
from kafka_nextgen.types import TopicPartition

__all__ = ["Reset", "reset_offsets", "reset_options"]

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


@frozen
class Reset:
    """What the options ask for; ``target`` is None if they don't ask for a reset, or with ``file``."""

    target: OffsetTarget | None
    file: Path | None
    places: tuple[str, ...]
    all_topics: bool
    execute: bool
    dry_run: bool
    export: bool

    @property
    def is_asked(self) -> bool:
        """Whether any of the options was given."""
        is_placed = self.target is not None or self.file is not None or bool(self.places) or self.all_topics
        return is_placed or self.execute or self.dry_run or self.export

    def check(self) -> None:
        """Refuse options that contradict each other, or say too little. Raises ``click.UsageError``."""
        if self.execute and self.dry_run:
            raise click.UsageError("--dry-run and --execute exclude each other")
        if self.file is not None:
            if self.target is not None or self.places or self.all_topics:
                raise click.UsageError("--from-file has partitions and offsets: give no others")
        elif self.target is None:
            raise click.UsageError("say where to: --to-earliest, --to-latest, --to-datetime, or another one of --help")
        elif bool(self.places) == self.all_topics:
            raise click.UsageError("say which partitions: --topic TOPIC, --topic 'TOPIC[0-3]' or --all-topics")


class _Duration(click.ParamType[timedelta]):
    """A duration in ISO 8601, as Java's ``Duration.parse`` reads it, or such as ``90m``, ``2h`` or ``7d``."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """Parse a duration; anything else is a usage error."""
        text = str(value).strip()
        try:
            if text[:1].isdigit() and text[-1] in "smhd":
                return timedelta(milliseconds=LAST_MS - moment_ms(text, LAST_MS, "the duration"))
            return timedelta(milliseconds=ByDuration.parse(text.upper()).duration_ms)
        except (ValueError, OverflowError) as error:
            self.fail(str(error), param, ctx)


_TARGETS: tuple[Callable[[Any], Any], ...] = (
    click.option("--to-earliest", is_flag=True, help="Continue at the beginning of each partition."),
    click.option("--to-latest", is_flag=True, help="Continue at the end: skip what there is."),
    click.option("--to-current", is_flag=True, help="Keep the committed offset; the end where there is none."),
    click.option("--to-offset", type=click.IntRange(min=0), metavar="OFFSET", help="Continue at this offset."),
    click.option("--to-datetime", type=TIME, metavar="TIME", help="Continue at the first record since then (UTC)."),
    click.option(
        "--by-duration", type=_Duration(), metavar="2h", help="Continue this long ago: 90m, 2h, 7d, or PT1H30M."
    ),
    click.option("--shift-by", type=int, metavar="N", help="Continue N records later, or earlier if N is negative."),
)
_OTHERS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--from-file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Continue at the offsets of a file with lines TOPIC,PARTITION,OFFSET, as --export writes it.",
    ),
    click.option(
        "--topic", "places", multiple=True, metavar="TOPIC", help="A topic to reset, or orders[0-3]. Can be repeated."
    ),
    click.option("--all-topics", is_flag=True, help="Reset all partitions with a committed offset."),
    click.option("--dry-run", is_flag=True, help="Only show what a reset would change; the default."),
    click.option("--execute", is_flag=True, help="Reset the offsets."),
    click.option("--export", is_flag=True, help="Print the new offsets as lines for --from-file."),
)


def reset_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a reset, and pass them as ``reset``."""

    @functools.wraps(command)
    def run(
        *arguments: object,
        to_earliest: bool,
        to_latest: bool,
        to_current: bool,
        to_offset: int | None,
        to_datetime: int | None,
        by_duration: timedelta | None,
        shift_by: int | None,
        from_file: Path | None,
        places: tuple[str, ...],
        all_topics: bool,
        dry_run: bool,
        execute: bool,
        export: bool,
        **rest: object,
    ) -> None:
        targets: list[OffsetTarget | None] = [
            OffsetReset.EARLIEST if to_earliest else None,
            OffsetReset.LATEST if to_latest else None,
            CURRENT if to_current else None,
            to_offset,
            None if to_datetime is None else utc(to_datetime / 1000),
            by_duration,
            None if shift_by is None else ShiftBy(shift_by),
        ]
        given = [target for target in targets if target is not None]
        if len(given) > 1:
            raise click.UsageError("give only one of the options that say where to")
        target = given[0] if given else None
        reset = Reset(target, from_file, places, all_topics, execute, dry_run, export)
        command(*arguments, reset=reset, **rest)

    decorated: Callable[..., None] = run
    for option in reversed((*_TARGETS, *_OTHERS)):
        decorated = option(decorated)
    return decorated


def reset_offsets(cluster: ClusterOptions, group_id: str, reset: Reset, as_json: bool) -> None:
    """Show the plan and, with ``--execute``, carry it out."""
    reset.check()
    with cluster.open() as admin:
        plan = admin.plan_offsets(group_id, _targets(admin, cluster, group_id, reset), cluster.timeout_s)
        errors = [planned.error for planned in plan.values() if planned.error is not None]
        offsets = {tp: planned.offset for tp, planned in plan.items() if planned.offset is not None}
        if reset.execute and offsets:
            altered = admin.alter_offsets(group_id, offsets, cluster.timeout_s)
            errors += altered.failed.values()
            plan = {tp: planned for tp, planned in plan.items() if tp in altered.done or planned.error is not None}
        problem = None if reset.execute else _member_problem(admin, group_id, cluster.timeout_s)
    _print_plan(plan, reset, as_json)
    if not reset.execute and not reset.export:
        print_line("This is a plan: nothing was changed. Repeat it with --execute to do it.", err=True)
    if problem is not None:
        print_line(f"Warning: {problem}", err=True)
    fail_with(errors)


def _targets(
    admin: GroupAdmin, cluster: ClusterOptions, group_id: str, reset: Reset
) -> dict[str | TopicPartition, OffsetTarget]:
    if reset.file is not None:
        return _read_file(reset.file, group_id)
    assert reset.target is not None
    if not reset.all_topics:
        return dict.fromkeys(parse_selections(reset.places), reset.target)
    offsets = admin.offsets(group_id, cluster.timeout_s)
    committed = [tp for tp, offset in offsets.items() if offset.committed is not None]
    if not committed:
        raise click.ClickException(f"group {group_id} has no committed offsets: name topics with --topic")
    return dict.fromkeys(committed, reset.target)


def _read_file(path: Path, group_id: str) -> dict[str | TopicPartition, OffsetTarget]:
    """Read lines TOPIC,PARTITION,OFFSET, or GROUP,TOPIC,PARTITION,OFFSET, of which those of this group."""
    targets: dict[str | TopicPartition, OffsetTarget] = {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
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


def _member_problem(admin: GroupAdmin, group_id: str, timeout_s: float) -> str | None:
    """Return why a reset would fail now, if the group has members."""
    try:
        members = admin.members(group_id, timeout_s)
    except KafkaNextgenError:  # no such group: a reset creates it
        return None
    if not members:
        return None
    return f"group {group_id} has {len(members)} members, so that a reset will fail: stop them first"


def _print_plan(plan: Plan, reset: Reset, as_json: bool) -> None:
    if reset.export:
        for tp, planned in plan.items():
            if planned.offset is not None:
                print_line(f"{tp.topic},{tp.partition},{planned.offset}")
    elif as_json:
        print_json([_document(tp, planned) for tp, planned in plan.items()])
    else:
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
