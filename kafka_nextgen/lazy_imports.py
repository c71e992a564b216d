"""Import names of a module on first use (PEP 562), so that ``import kafka_nextgen`` stays fast.

The module lists the names under ``TYPE_CHECKING`` for type checkers, and passes the location of each definition.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping

__all__ = ["lazy_getattr"]


def lazy_getattr(module: str, places: Mapping[str, str]) -> Callable[[str], object]:
    """The ``__getattr__`` of ``module``: the names in ``places`` are imported from there, once."""

    def find(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value: object = getattr(importlib.import_module(places[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return find
