"""``kafka-nextgen export``: write part of topics to Parquet files.

Running the same command again continues an interrupted export; ``kafka_nextgen/scanning/export.py`` has the rules. The
command joins no group and commits nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafka_nextgen.cli.options import ClientProperties, bootstrap_option, client_options
from kafka_nextgen.cli.value_formats import (
    REGISTRY_VARIABLE,
    SchemaFiles,
    Subject,
    format_options,
    refuse_without_registry,
    registry_of,
)
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.scanning.arrow_stream import scan
from kafka_nextgen.scanning.export import Export

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.value_columns import OnError

__all__ = ["export"]

_DECIDING = ("topics", "since", "until", "avro", "json", "protobuf", "message", "framed", "on_error")


@click.command(short_help="Write the records of topics to Parquet files.")
@click.argument("topics", nargs=-1, required=True, metavar="TOPIC...")
@bootstrap_option
@click.option(
    "--to", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="The folder for the files."
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["parquet"]),
    default="parquet",
    show_default=True,
    help="The format of the files.",
)
@click.option("--since", metavar="WHEN", help="Begin at a duration before now, such as 2h, or at a time in ISO 8601.")
@click.option("--until", metavar="WHEN", help="The end, in the same form. Default: the last record that exists now.")
@format_options
@click.option(
    "--on-error",
    type=click.Choice(["raise", "skip", "null"]),
    default="raise",
    show_default=True,
    help="What to do with a value that can't be decoded.",
)
@click.option("--file-rows", type=click.IntRange(min=1), default=1_000_000, show_default=True, help="Rows per file.")
@client_options
def export(
    topics: tuple[str, ...],
    bootstrap_servers: str,
    folder: Path,
    style: str,
    since: str | None,
    until: str | None,
    avro: Path | None,
    json: Path | None,
    protobuf: Path | None,
    message: str | None,
    framed: bool,
    registry: str | None,
    registry_ca: Path | None,
    registry_max_answer_bytes: int | None,
    subject: str | None,
    on_error: OnError,
    file_rows: int,
    properties: ClientProperties,
) -> None:
    """Write the records of TOPIC... to files in a folder, and exit.

    Run the same command again to continue after an interruption.
    """
    del style  # Parquet is the only format
    given = click.get_current_context().params
    options = _deciding_options(given)
    with _usage_errors():
        refuse_without_registry(given)
        value = SchemaFiles(avro, json, protobuf, message, framed).format()
        if registry is not None and value is not None:
            source = f"--registry (or the variable {REGISTRY_VARIABLE})"
            raise ValueError(f"specify only one format: {source}, --avro, --json or --protobuf")
        if registry is not None:
            client = registry_of(registry, registry_ca, registry_max_answer_bytes)
            registered = Subject.of(client, subject, topics, Export.options_in(folder))
            value, options = registered.format(), options | registered.options
        if value is None and on_error != "raise":
            raise ValueError("--on-error needs --registry, --avro, --json or --protobuf")
    task = Export(folder, options, file_rows)
    begin, end = task.edges or (since, until)
    config = properties.config({"bootstrap.servers": bootstrap_servers})
    with _usage_errors(), task.continuing():
        found = scan(task.partitions or topics, config, since=begin, until=end, value=value, on_error=on_error)
    with found:
        total = sum(max(0, each.end - each.start) for each in found.ranges.values())
        with click.progressbar(length=total, label=" ".join(topics)) as bar:
            try:
                files = task.run(found, bar.update)
            except KeyboardInterrupt:
                click.echo("\ninterrupted: run the same command again to continue", err=True)
                raise
    click.echo(f"{files} {'file' if files == 1 else 'files'} in {folder}")


def _deciding_options(given: Mapping[str, object]) -> dict[str, str | None]:
    """The options that determine the contents of the files; a schema file is represented by a hash of its contents."""
    return {name: _as_text(given[name]) for name in _DECIDING}


def _as_text(option: object) -> str | None:
    if isinstance(option, Path):
        return f"a file with the SHA-256 {sha256(option.read_bytes()).hexdigest()[:16]}"
    if isinstance(option, tuple):
        return " ".join(option)
    return None if option in (None, False) else str(option)


@contextmanager
def _usage_errors() -> Iterator[None]:
    """Report invalid option values as usage errors."""
    try:
        yield
    except KafkaNextgenError:
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from error
