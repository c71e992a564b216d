"""Garbage that stays where it is: what is free meanwhile was freed by its last reference."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collections() -> Iterator[None]:
    """Collect no garbage until the end of the block."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
