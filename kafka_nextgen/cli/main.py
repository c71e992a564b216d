"""The top-level command, which reports errors as one line on stderr and an exit code, without a traceback.

Exit codes: 0 for success, 1 for a failure (no broker, a rejected request, a failed proof), 2 for wrong usage (an
unknown option or configuration key), 130 for an interrupt.
"""

from __future__ import annotations

import sys

import click

from kafka_nextgen.cli.assignors import assignors
from kafka_nextgen.cli.broker import broker
from kafka_nextgen.cli.consume import consume
from kafka_nextgen.cli.demo import demo
from kafka_nextgen.cli.groups import groups
from kafka_nextgen.cli.history import history
from kafka_nextgen.cli.produce import produce
from kafka_nextgen.errors import ConfigError, KafkaNextgenError
from kafka_nextgen.text import printable

__all__ = ["cli", "main"]


class _OneLineErrors(click.Group):
    """Converts errors of the library and the operating system to click's."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (BrokenPipeError, click.ClickException):
            raise
        except ConfigError as error:
            raise _UsageError(_one_line(error)) from error
        except (KafkaNextgenError, OSError) as error:
            raise click.ClickException(_one_line(error)) from error


class _UsageError(click.ClickException):
    exit_code = 2


def _one_line(error: Exception) -> str:
    return printable(str(error)) or type(error).__name__


@click.group(
    cls=_OneLineErrors,
    commands=[assignors, broker, consume, demo, groups, history, produce],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="kafka-nextgen", prog_name="kafka-nextgen")
def cli() -> None:
    """Apache Kafka's next-generation consumer groups (KIP-848), from the command line."""


def main() -> None:
    """Run the command line; the console script kafka-nextgen."""
    sys.exit(cli(prog_name="kafka-nextgen"))
