"""Which assignor is meant: one that is built in, by its name, or one of the user's own, as MODULE:CLASS."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.assignors import PartitionAssignor
from kafka_nextgen.assignors.configured import assignor_of
from kafka_nextgen.assignors.explaining.settled import SettledCooperativeStickyAssignor
from kafka_nextgen.assignors.named import BUILT_IN
from kafka_nextgen.assignors.roundrobin import RoundRobinAssignor
from kafka_nextgen.cli.assignors.configured import imported
from kafka_nextgen.errors import ConfigError

__all__ = ["assignor_called"]

_OPTION = "--assignor"

#: What is built in, and the other assignors of the classic protocol.
_ON_PAPER: Mapping[str, PartitionAssignor] = {
    **BUILT_IN,
    **{assignor.name: assignor for assignor in (RoundRobinAssignor(), SettledCooperativeStickyAssignor())},
}


def assignor_called(name: str) -> PartitionAssignor:
    """The assignor. Raises ``ConfigError`` if there is none, or if it can't be had."""
    if ":" in name:
        try:
            return assignor_of(imported(name, _OPTION))
        except ConfigError:
            raise
        except ValueError as error:
            raise ConfigError(f"{_OPTION} {name}: {error}", _OPTION) from error
    if name not in _ON_PAPER:
        known = ", ".join(_ON_PAPER)
        raise ConfigError(
            f"{_OPTION}: there is no assignor {name!r} here; there are {known}, and your own as MODULE:CLASS", _OPTION
        )
    return _ON_PAPER[name]
