"""Options that several commands have, and how their values are read."""

from __future__ import annotations

from collections.abc import Iterable

import click

from kafka_nextgen.errors import ConfigError

__all__ = ["bootstrap_option", "config_option", "read_properties"]

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


def read_properties(pairs: Iterable[str]) -> dict[str, object]:
    """Read ``NAME=VALUE`` pairs; raises ConfigError for what is no pair, or a name given twice."""
    properties: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ConfigError(f"--config takes NAME=VALUE, not {pair!r}", pair)
        if name in properties:
            raise ConfigError(f"--config {name} is given twice", name)
        properties[name] = value.strip()
    return properties
