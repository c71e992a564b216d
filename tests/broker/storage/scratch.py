"""Directories for the examples of a property: ``tmp_path`` is one for all of them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["scratch"]


@contextmanager
def scratch() -> Iterator[Path]:
    """A directory that is there for one example."""
    directory = Path(tempfile.mkdtemp())
    try:
        yield directory
    finally:
        shutil.rmtree(directory)
