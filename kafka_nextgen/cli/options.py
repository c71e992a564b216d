"""Options that several commands have, and how their values are read.

What is on a command line is seen by everybody on the machine, so a client's keys can come from a file as well, one
``NAME=VALUE`` a line as in Kafka's own ``--command-config``. What is on the command line goes before what is in it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.text import is_utf_8

__all__ = ["bootstrap_option", "client_options", "config_option", "read_properties"]

bootstrap_option = click.option(
    "-b",
    "--bootstrap-servers",
    default="localhost:9092",
    show_default=True,
    metavar="HOST:PORT,...",
    help="Servers to learn the cluster from.",
)

config_option = click.option(
    "-c",
    "--config",
    "config",
    multiple=True,
    metavar="NAME=VALUE",
    help="A configuration key by Kafka's name; may be given again.",
)


_config_file_option = click.option(
    "--config-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of such keys, one NAME=VALUE a line; for passwords.",
)


def client_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command ``--config`` and ``--config-file``, and hand it the ``properties`` made of them."""

    @functools.wraps(command)
    def run(*arguments: object, config: tuple[str, ...], config_file: Path | None, **rest: object) -> None:
        from_file = {} if config_file is None else read_properties(_lines_of(config_file), str(config_file))
        command(*arguments, properties={**from_file, **read_properties(config)}, **rest)

    return config_option(_config_file_option(run))


def _lines_of(file: Path) -> Iterator[str]:
    """The lines of a properties file that say something."""
    data = file.read_bytes()
    if not is_utf_8(data):  # Python's own error about it would have the whole file in it
        raise ConfigError(f"--config-file {file} is not UTF-8")
    lines = (line.strip() for line in data.decode().splitlines())
    return (line for line in lines if line and not line.startswith(("#", "!")))


def read_properties(pairs: Iterable[str], source: str = "--config") -> dict[str, object]:
    """Read ``NAME=VALUE`` pairs; raises ConfigError for what is no pair, or a name given twice.

    Of what is no pair, no error shows more than a name at its beginning: the rest may be a password.
    """
    properties: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals or not name:
            shown = re.split(r"[^\w.-]", name, maxsplit=1)[0]
            raise ConfigError(f"{source} takes NAME=VALUE, not {shown}...", shown)
        if name in properties:
            raise ConfigError(f"{source} {name} is given twice", name)
        properties[name] = value.strip()
    return properties
