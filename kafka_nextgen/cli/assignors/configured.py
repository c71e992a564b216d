"""Assignors of one's own on the command line: ``--config group.consumer.assignors=uniform,shop.assignors:ByCustomer``.

The class is imported here, from the current directory or what is installed, before the broker begins. It has to be
nobody but who starts the broker who names code to run; the broker itself takes no such text.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from kafka_nextgen.errors import ConfigError

__all__ = ["imported", "with_own_assignors"]

KEY = "group.consumer.assignors"


def with_own_assignors(properties: Mapping[str, object]) -> dict[str, object]:
    """The properties, with the class in the place of each MODULE:CLASS. Raises ``ConfigError`` if it can't be found."""
    return {key: _own(value) if key.replace("_", ".") == KEY else value for key, value in properties.items()}


def _own(value: object) -> object:
    names = [name.strip() for name in str(value).split(",")]
    return [imported(name, KEY) if ":" in name else name for name in names]


def imported(name: str, key: str) -> object:
    """What MODULE:CLASS names, looked for in the current directory too. Raises ``ConfigError`` about ``key``."""
    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:  # whatever the module does while it is imported
        raise ConfigError(f"{key}: {name} can't be imported: {error}", key) from error
