"""What needs a package that is not there says how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["needs"]


@contextmanager
def needs(call: str, extra: str) -> Iterator[None]:
    """For imports inside of ``call``: raises ImportError that names the extra with which the package is installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        message = f"{call} needs {missing.name}: pip install 'kafka-nextgen[{extra}]'"
        raise ImportError(message, name=missing.name) from missing
