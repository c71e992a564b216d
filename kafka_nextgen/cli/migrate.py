"""``kafka-nextgen migrate``: what to change in programs and properties files of other clients."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import asdict

from kafka_nextgen.cli.options import json_option
from kafka_nextgen.cli.output import print_json, print_line
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.java_config.properties_file import text_of_file

if TYPE_CHECKING:
    from kafka_nextgen.migrating.finding import Finding

__all__ = ["migrate"]


@click.command(short_help="Print what to change in programs of other clients.")
@click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, path_type=Path))
@json_option
def migrate(paths: Sequence[Path], as_json: bool) -> None:
    """Print the necessary changes in FILEs that use another client, line by line.

    A FILE that ends in .py is a Python program with confluent-kafka, kafka-python or aiokafka; in a directory, all such
    programs are read. Any other is a file of configuration keys, in the syntax of Java's .properties, for one of these
    clients or for Java's consumer. Nothing is changed, and no program is run. docs/migrating explains the differences
    in meaning, which no line shows.
    """
    found = ((file, findings) for path in paths for file, findings in _findings(path))
    if as_json:
        print_json([{"file": str(file), **asdict(finding)} for file, findings in found for finding in findings])
        return
    for file, findings in found:
        for finding in findings:
            print_line(f"{file}:{finding.line}: {finding}")
        if not findings:
            print_line(f"{file}: nothing to change")


def _findings(path: Path) -> Iterator[tuple[Path, list[Finding]]]:
    """Yield files with their findings; of a directory, only programs with findings."""
    if path.is_dir():
        yield from _in_directory(path)
    elif path.suffix == ".py":
        yield path, _of_program(path)
    else:
        from kafka_nextgen.migrating.properties_files import findings_in_properties  # no other command needs the tables

        yield path, findings_in_properties(text_of_file(path), str(path))


def _in_directory(directory: Path) -> Iterator[tuple[Path, list[Finding]]]:
    for file in _programs_below(directory):
        try:
            findings = _of_program(file)
        except (click.ClickException, ConfigError) as error:  # the others can be read
            print_line(f"Warning: {error}", err=True)
            continue
        if findings:
            yield file, findings


def _programs_below(directory: Path) -> Iterator[Path]:
    """Find the programs below a directory, except in installed packages and hidden directories such as .git."""
    for folder, folders, files in os.walk(directory):
        inside = (Path(folder, name) for name in sorted(folders) if not name.startswith("."))
        folders[:] = [each.name for each in inside if not (each / "pyvenv.cfg").exists()]
        yield from (Path(folder, name) for name in sorted(files) if name.endswith(".py") and not name.startswith("."))


def _of_program(file: Path) -> list[Finding]:
    from kafka_nextgen.migrating.programs import findings_in_program

    text = text_of_file(file)
    try:
        return findings_in_program(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise click.ClickException(f"{file} is not a Python program: {error}") from None
