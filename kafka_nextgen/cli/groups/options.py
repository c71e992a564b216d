"""What the commands about groups have in common: how the cluster is reached, and which groups are meant."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click
from attrs import frozen

from kafka_nextgen.admin import GroupAdmin, GroupState, GroupType
from kafka_nextgen.cli.options import bootstrap_option, client_options
from kafka_nextgen.config import ConsumerConfig

__all__ = ["Reach", "filters", "json_option", "reaching"]

F = TypeVar("F", bound=Callable[..., Any])

#: Those a broker may be asked for; it never says that it does not know.
_TYPES = [kind.value for kind in GroupType if kind is not GroupType.UNKNOWN]
_STATES = [state.value for state in GroupState if state is not GroupState.UNKNOWN]

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


@frozen
class Reach:
    """How the cluster is reached; ``timeout_s`` is for the whole command, in seconds."""

    config: ConsumerConfig
    timeout_s: float

    def open(self) -> GroupAdmin:
        """An admin, to be used in a ``with`` block."""
        return GroupAdmin(self.config)


def reaching(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options by which a cluster is reached, and hand it a ``reach`` made of them."""

    @functools.wraps(command)
    def run(
        *arguments: object, bootstrap_servers: str, properties: dict[str, object], timeout: float, **rest: object
    ) -> None:
        config = ConsumerConfig.parse({"bootstrap.servers": bootstrap_servers, **properties})
        command(*arguments, reach=Reach(config, timeout), **rest)

    seconds = click.FloatRange(min=0, min_open=True)
    timeout = click.option("--timeout", type=seconds, default=30.0, show_default=True, help="Seconds to wait at most.")
    return bootstrap_option(client_options(timeout(run)))


def filters(command: F) -> F:
    """Give a command ``--type`` and ``--state``."""
    by_type = click.option(
        "--type",
        "types",
        multiple=True,
        type=click.Choice(_TYPES, case_sensitive=False),
        help="Only groups of this type; may be given again.",
    )
    by_state = click.option(
        "--state",
        "states",
        multiple=True,
        type=click.Choice(_STATES, case_sensitive=False),
        help="Only groups in this state; may be given again.",
    )
    return by_type(by_state(command))
