"""Find assignors by name, and import classes given as MODULE:CLASS.

For example, ``--config group.consumer.assignors=uniform,shop.assignors:ByCustomer``. The class is imported here, from
the current directory or installed packages, before the broker starts. Only the person who starts the broker may name
code to run; clients can't pass class names to the broker.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from kafka_nextgen.assignors import PartitionAssignor
from kafka_nextgen.assignors.built_in import BUILT_IN
from kafka_nextgen.assignors.cooperative_sticky import SettledCooperativeStickyAssignor
from kafka_nextgen.assignors.local_assignors import assignor_of
from kafka_nextgen.assignors.roundrobin import RoundRobinAssignor
from kafka_nextgen.errors import ConfigError

__all__ = ["find_assignor", "load_assignor_classes"]

KEY = "group.consumer.assignors"

_OPTION = "--assignor"
#: The built-in assignors, and the remaining ones of the classic protocol.
_ASSIGNORS: Mapping[str, PartitionAssignor] = {
    **BUILT_IN,
    **{assignor.name: assignor for assignor in (RoundRobinAssignor(), SettledCooperativeStickyAssignor())},
}


def load_assignor_classes(properties: Mapping[str, object]) -> dict[str, object]:
    """Replace each MODULE:CLASS in the properties with the class. Raises ``ConfigError`` if it can't be imported."""
    return {key: _load_assignors(value) if key.replace("_", ".") == KEY else value for key, value in properties.items()}


def _load_assignors(value: object) -> object:
    names = [name.strip() for name in str(value).split(",")]
    return [_import_object(name, KEY) if ":" in name else name for name in names]


def _import_object(name: str, key: str) -> object:
    """Import MODULE:CLASS, also from the current directory. Raises ``ConfigError`` about ``key``."""
    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:  # importing runs the module, which may raise anything
        raise ConfigError(f"{key}: {name} can't be imported: {error}", key) from error


def find_assignor(name: str) -> PartitionAssignor:
    """Return the assignor. Raises ``ConfigError`` if it is unknown or can't be imported."""
    if ":" in name:
        try:
            return assignor_of(_import_object(name, _OPTION))
        except ConfigError:
            raise
        except ValueError as error:
            raise ConfigError(f"{_OPTION} {name}: {error}", _OPTION) from error
    if name not in _ASSIGNORS:
        known = ", ".join(_ASSIGNORS)
        raise ConfigError(
            f"{_OPTION}: there is no assignor {name!r} here; use {known}, or your own as MODULE:CLASS", _OPTION
        )
    return _ASSIGNORS[name]
