"""Options that several commands share, and how their values are read.

All users of the machine can see a command line, so a client's keys can also be in a file, in the syntax of Java's
``.properties`` as with Kafka's own ``--command-config``. The file may be written for Java's client or for another one.
Keys on the command line override those in the file.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from attrs import field

from kafka_nextgen.admin.values import GroupState, GroupType
from kafka_nextgen.cli.list_options import list_option
from kafka_nextgen.config import KEYS, ConsumerConfig, migrated_config
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.java_config.properties_file import read_properties_file
from kafka_nextgen.lazy_attrs import frozen

if TYPE_CHECKING:
    from kafka_nextgen.admin import GroupAdmin
    from kafka_nextgen.history.events import Event

__all__ = [
    "ClientProperties",
    "ClusterOptions",
    "bootstrap_option",
    "client_options",
    "cluster_options",
    "config_option",
    "filters",
    "history_option",
    "json_option",
    "open_history_file",
    "read_properties",
]

bootstrap_option = click.option(
    "-b",
    "--bootstrap-servers",
    default="localhost:9092",
    show_default=True,
    metavar="HOST:PORT,...",
    help="Servers for the first connection to the cluster.",
)


def _keys_of_consumers(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the names of a consumer's configuration keys, for a shell."""
    return sorted(f"{key.name}=" for key in KEYS.values() if key.name.startswith(incomplete))


#: The options of ``--config`` that commands share; completion by a shell differs.
_config_option = functools.partial(
    click.option,
    "-c",
    "--config",
    "config",
    multiple=True,
    metavar="NAME=VALUE",
    help="A configuration key, under its Kafka name. Can be repeated.",
)
config_option = _config_option()


_config_file_option = click.option(
    "--config-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of configuration keys, such as a Java client's client.properties. Use it for passwords.",
)

F = TypeVar("F", bound=Callable[..., Any])
#: The values that a filter may have.
_TYPES = [kind.value for kind in GroupType if kind is not GroupType.UNKNOWN]
_STATES = [state.value for state in GroupState if state is not GroupState.UNKNOWN]


#: Commands print bytes, so these keys are ignored: a shared file may set them for a client that deserializes records.
_DESERIALIZERS = ("key.deserializer", "value.deserializer")


@frozen
class ClientProperties:
    """The keys of ``--config-file`` and of ``--config``, which override them."""

    from_file: Mapping[str, str] = field(repr=False)
    typed: Mapping[str, object] = field(repr=False)

    def config(self, defaults: Mapping[str, object]) -> ConsumerConfig:
        """Return the configuration; keys in the file that have no effect here are left out. Raises ``ConfigError``."""
        from_file = {key: value for key, value in self.from_file.items() if key not in _DESERIALIZERS}
        kept = {key: value for key, value in defaults.items() if not from_file.get(key, "").strip()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return migrated_config(from_file, {**kept, **self.typed})


def client_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--config`` and ``--config-file``, and pass their keys as ``properties``, a ``ClientProperties``."""

    @functools.wraps(command)
    def run(*arguments: object, config: tuple[str, ...], config_file: Path | None, **rest: object) -> None:
        from_file = {} if config_file is None else read_properties_file(config_file)
        command(*arguments, properties=ClientProperties(from_file, read_properties(config)), **rest)

    return _config_option(shell_complete=_keys_of_consumers)(_config_file_option(run))


def read_properties(pairs: Iterable[str], source: str = "--config") -> dict[str, object]:
    """Read ``NAME=VALUE`` pairs. Raises ConfigError for text without ``=``, and for duplicate names.

    The error shows only a leading name: the rest may be a password.
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


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


@frozen
class ClusterOptions:
    """How to reach the cluster. ``timeout_s`` is the time limit of the whole command."""

    config: ConsumerConfig
    timeout_s: float

    def open(self) -> GroupAdmin:
        """Return an admin client, to be used in a ``with`` block."""
        from kafka_nextgen.admin import GroupAdmin  # most commands about groups, but not their help, need it

        return GroupAdmin(self.config)


def cluster_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for reaching a cluster, and pass them as ``cluster``."""

    @functools.wraps(command)
    def run(
        *arguments: object, bootstrap_servers: str, properties: ClientProperties, timeout: float, **rest: object
    ) -> None:
        config = properties.config({"bootstrap.servers": bootstrap_servers})
        command(*arguments, cluster=ClusterOptions(config, timeout), **rest)

    seconds = click.FloatRange(min=0, min_open=True)
    timeout = click.option("--timeout", type=seconds, default=30.0, show_default=True, help="Maximum seconds to wait.")
    return bootstrap_option(client_options(timeout(run)))


def filters(command: F) -> F:
    """Add ``--type`` and ``--state``."""
    by_type = list_option("--type", "types", choices=_TYPES, help="Only groups of this type.")
    by_state = list_option(
        "--state",
        "states",
        metavar="STATE,...",
        choices=_STATES,
        help=f"Only groups in this state: {', '.join(_STATES[:-1])} or {_STATES[-1]}.",
    )
    return by_type(by_state(command))


history_option = click.option(
    "--history",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Append events of groups to this file, as lines of JSON.",
)


@contextmanager
def open_history_file(path: Path | None) -> Iterator[Callable[[Event], None] | None]:
    """Yield a function that appends events to this file in its own thread; None without a path."""
    if path is None:
        yield None
        return
    if path.is_dir() or not path.parent.is_dir():
        raise ConfigError(f"--history: {path} must be a file in an existing directory")
    from kafka_nextgen.history.file_sink import FileSink  # few commands are given a file

    sink = FileSink(path)
    try:
        yield sink.write
    finally:
        sink.close()
