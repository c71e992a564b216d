"""Imports on first use, so that ``import kafka_nextgen`` and each command start fast.

A package gives its users names of modules that are not imported yet (``lazy_getattr`` and ``lazy_dir``, PEP 562); a
module uses another module that it has not imported yet (``lazy_module``). Both list the names under ``TYPE_CHECKING``
for type checkers.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["lazy_dir", "lazy_getattr", "lazy_module"]


def lazy_getattr(module: str, places: Mapping[str, str]) -> Callable[[str], object]:
    """The ``__getattr__`` of ``module``: the names in ``places`` are imported from there, once."""

    def find(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value: object = getattr(importlib.import_module(places[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return find


def lazy_dir(module: str) -> Callable[[], list[str]]:
    """The ``__dir__`` of ``module``: what it has already, and all that it gives its users."""

    def names() -> list[str]:
        present = vars(sys.modules[module])
        return sorted({*present, *present["__all__"]})

    return names


def lazy_module(name: str) -> Any:
    """Return what can be used like the module of this name, which is imported for the first of its attributes."""
    return _LazyModule(name)


class _LazyModule:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> object:
        return getattr(importlib.import_module(self._name), attribute)
