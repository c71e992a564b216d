"""The version of this package, as it is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

__all__ = ["VERSION"]


def _installed() -> str:
    try:
        return version("kafka-nextgen")
    except PackageNotFoundError:  # run from a directory of source
        return "unknown"


VERSION = _installed()
