"""``kafka-nextgen migrate``: what to change in programs and properties files of other clients."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from kafka_nextgen.cli.output import print_line
from kafka_nextgen.java_config.properties_file import text_of_file
from kafka_nextgen.migrating.finding import Finding
from kafka_nextgen.migrating.programs import clients_in, findings_in_program
from kafka_nextgen.migrating.properties_files import findings_in_properties

__all__ = ["migrate"]


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(dir_okay=False, path_type=Path))
def migrate(files: Sequence[Path]) -> None:
    """Print what to change in FILEs that use another client, line by line.

    A FILE that ends in .py is a Python program with confluent-kafka, kafka-python or aiokafka. Any other is a file of
    configuration keys, in the syntax of Java's .properties, for one of these clients or for Java's consumer. Nothing
    is changed, and no program is run. docs/migrating explains the differences in meaning, which no line shows.
    """
    for file in files:
        if file.suffix == ".py":
            _of_program(file)
        else:
            _print(file, findings_in_properties(text_of_file(file), str(file)))


def _of_program(file: Path) -> None:
    text = text_of_file(file)
    try:
        clients = clients_in(text)
        findings = findings_in_program(text)
    except (SyntaxError, ValueError) as error:
        raise click.ClickException(f"{file} is not a Python program: {error}") from None
    if clients:
        _print(file, findings)
    else:
        print_line(f"{file}: uses neither confluent-kafka, kafka-python nor aiokafka")


def _print(file: Path, findings: Sequence[Finding]) -> None:
    for finding in findings:
        print_line(f"{file}:{finding.line}: {finding}")
    if not findings:
        print_line(f"{file}: nothing to change")
