"""The top-level command, which reports errors as one line on stderr and an exit code, without a traceback.

Exit codes: 0 for success, 1 for a failure (no broker, a rejected request, a failed proof), 2 for wrong usage (an
unknown option or configuration key), 130 for an interrupt.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

import click

from kafka_nextgen.cli.lazy_group import LazyGroup, Place
from kafka_nextgen.errors import ConfigError, KafkaNextgenError
from kafka_nextgen.text import printable

__all__ = ["cli", "main"]


#: The loggers and messages about each first attempt to reach a broker. They repeat what the final error says.
_REACHING = ("connecting to a broker", "connecting to the first broker")
_REACHING_LOGGERS = ("kafka_nextgen.transport.cluster", "kafka_nextgen.engine")
_INTERRUPTED = 130


class _OneLineErrors(LazyGroup):
    """Converts errors of the library and the operating system to click's, and all to one line."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the arguments before the command's name."""
        try:
            return super().make_context(*args, **extra)
        except click.UsageError as error:
            raise _in_one_line(error) from error

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise _in_one_line(error) from error
        except (BrokenPipeError, click.ClickException):
            raise
        except ConfigError as error:
            raise _UsageError(_one_line(error)) from error
        except (KafkaNextgenError, OSError) as error:
            raise click.ClickException(_one_line(error)) from error
        except KeyboardInterrupt:  # click would exit with 1
            ctx.exit(_INTERRUPTED)


class _UsageError(click.ClickException):
    exit_code = 2


def _in_one_line(error: click.UsageError) -> click.ClickException:
    """Return a usage error without the lines that repeat the command; a command without arguments shows its help."""
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
        return error
    ctx = error.ctx
    help_hint = "" if ctx is None else f" (see {ctx.command_path} --help)"
    return _UsageError(printable(error.format_message().rstrip(".")) + help_hint)


def _is_not_of_a_first_try(record: logging.LogRecord) -> bool:
    """Whether to log this line. Retries of the first connection are hidden, because the final error reports them."""
    return not (isinstance(record.args, tuple) and record.args[:1] and record.args[0] in _REACHING)


def _one_line(error: Exception) -> str:
    return printable(str(error)) or type(error).__name__


def _at(module: str, help: str) -> Place:
    """The command is named like its module."""
    return Place(module, module.rpartition(".")[2], help)


@click.group(
    cls=_OneLineErrors,
    places={
        "assignors": _at("kafka_nextgen.cli.assignors", "See the result of an assignor for a group."),
        "broker": _at("kafka_nextgen.cli.broker", "Run a broker for development and tests."),
        "consume": _at("kafka_nextgen.cli.consume", "Print the records of topics."),
        "demo": _at("kafka_nextgen.cli.demo", "Show consumer groups at work on an embedded broker."),
        "export": _at("kafka_nextgen.cli.export", "Write the records of topics to Parquet files."),
        "groups": _at("kafka_nextgen.cli.groups", "Look at groups of both protocols, and change them."),
        "history": _at("kafka_nextgen.cli.history", "Record what happens to groups, and report it afterwards."),
        "migrate": _at("kafka_nextgen.cli.migrate", "Print what to change in programs of other clients."),
        "produce": _at("kafka_nextgen.cli.produce", "Write each line of stdin to TOPIC."),
        "topics": _at("kafka_nextgen.cli.topics", "Look at topics, create and delete them."),
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="kafka-nextgen", prog_name="kafka-nextgen")
def cli() -> None:
    """Apache Kafka's next-generation consumer groups (KIP-848), from the command line."""


def main() -> None:
    """Run the command line; the console script kafka-nextgen."""
    for name in _REACHING_LOGGERS:
        logging.getLogger(name).addFilter(_is_not_of_a_first_try)
    sys.exit(cli(prog_name="kafka-nextgen"))
