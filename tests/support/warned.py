"""Turning warnings into errors, without those of the garbage that other tests have left."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_warning"]


@contextmanager
def no_warning() -> Iterator[None]:
    """Raise each warning, but no ``ResourceWarning``: a consumer of an earlier test may be collected at any time."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ResourceWarning)
        yield
