"""Reads TOML files with the standard library, or with its backport before Python 3.11."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["read_toml"]


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
