"""Regular expressions of modules, compiled when they are first used.

A compilation takes as long as importing a small module, and most processes use few of the patterns.
"""

from __future__ import annotations

import re
from typing import AnyStr, cast

__all__ = ["lazy_pattern"]


def lazy_pattern(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what can be used like ``re.compile(expression, flags)``; it is compiled then."""
    return cast("re.Pattern[AnyStr]", _Pattern(expression, flags))


class _Pattern:
    def __init__(self, expression: str | bytes, flags: int) -> None:
        self._expression, self._flags = expression, flags

    def __getattr__(self, name: str) -> object:
        value: object = getattr(re.compile(self._expression, self._flags), name)
        setattr(self, name, value)  # __getattr__ is not called for it again
        return value
