"""The version of this package; packaging reads it here, too."""

from __future__ import annotations

__all__ = ["VERSION"]

VERSION = "0.9.0"
