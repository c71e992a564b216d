"""Names of a module that are imported when they are first asked for (PEP 562), so that nobody waits for what few use.

A module says under ``TYPE_CHECKING`` what the names are, for type checkers and editors, and here where they are.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping

__all__ = ["imports_later"]


def imports_later(module: str, places: Mapping[str, str]) -> Callable[[str], object]:
    """The ``__getattr__`` of ``module``: the names in ``places`` are imported from there, once."""

    def find(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value: object = getattr(importlib.import_module(places[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return find
