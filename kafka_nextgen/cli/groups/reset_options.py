"""The options of ``kafka-nextgen groups offsets`` that request a reset, such as ``--to-datetime``.

They match ``kafka-consumer-groups.sh --reset-offsets`` (4.4.0).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from kafka_nextgen.admin import CURRENT, OffsetTarget, ShiftBy
from kafka_nextgen.cli.output import utc
from kafka_nextgen.cli.times import TIME
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.offset_reset import ByDuration, OffsetReset
from kafka_nextgen.scanning.times import LAST_MS, moment_ms

__all__ = ["Reset", "reset_options"]


@frozen
class Reset:
    """The requested reset; ``target`` is None without a reset, or with ``file``."""

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
        """Refuse options that contradict each other or are incomplete. Raises ``click.UsageError``."""
        if self.execute and self.dry_run:
            raise click.UsageError("--dry-run and --execute exclude each other")
        if self.file is not None:
            if self.target is not None or self.places or self.all_topics:
                raise click.UsageError("--from-file contains partitions and offsets: omit the other options")
        elif self.target is None:
            raise click.UsageError("specify the new position, for example with --to-earliest or --to-datetime")
        elif bool(self.places) == self.all_topics:
            raise click.UsageError("specify the partitions: --topic TOPIC, --topic 'TOPIC[0-3]' or --all-topics")


class _Duration(click.ParamType[timedelta]):
    """A duration: ISO 8601, as for Java's ``Duration.parse``, or such as ``90m``, ``2h`` or ``7d``."""

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
    click.option(
        "--to-latest", is_flag=True, help="Continue at the end of each partition, and skip the records before it."
    ),
    click.option("--to-current", is_flag=True, help="Keep the committed offset, or go to the end without one."),
    click.option("--to-offset", type=click.IntRange(min=0), metavar="OFFSET", help="Continue at this offset."),
    click.option(
        "--to-datetime",
        type=TIME,
        metavar="TIME",
        help="Continue at the first record from this time on, such as 2026-11-30T14:00 (UTC).",
    ),
    click.option(
        "--by-duration",
        type=_Duration(),
        metavar="DURATION",
        help="Continue at the first record of the last 90m, 2h, 7d or PT1H30M.",
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


def _target(options: dict[str, Any]) -> OffsetTarget | None:
    """Return the target of the one option that sets it. Raises ``click.UsageError`` for more than one."""
    to_datetime, shift_by = options.pop("to_datetime"), options.pop("shift_by")
    targets: list[OffsetTarget | None] = [
        OffsetReset.EARLIEST if options.pop("to_earliest") else None,
        OffsetReset.LATEST if options.pop("to_latest") else None,
        CURRENT if options.pop("to_current") else None,
        options.pop("to_offset"),
        None if to_datetime is None else utc(to_datetime / 1000),
        options.pop("by_duration"),
        None if shift_by is None else ShiftBy(shift_by),
    ]
    given = [target for target in targets if target is not None]
    if len(given) > 1:
        raise click.UsageError("specify the new position with only one option")
    return given[0] if given else None


def reset_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a reset, and pass them as ``reset``."""

    @functools.wraps(command)
    def run(*arguments: object, **options: Any) -> None:
        target = _target(options)
        asked = {name: options.pop(name) for name in ("places", "all_topics", "execute", "dry_run", "export")}
        command(*arguments, reset=Reset(target=target, file=options.pop("from_file"), **asked), **options)

    decorated: Callable[..., None] = run
    for option in reversed((*_TARGETS, *_OTHERS)):
        decorated = option(decorated)
    return decorated
