"""Where an event lies in the dataset: by its day, and by a name made of its group.

A group's id may have any characters, be longer than a file name, differ from another in case only, or look like a
number. So its folder has a readable part of it and a hash, and the id itself is a column of the files.
"""

from __future__ import annotations

import hashlib
import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import Column

__all__ = ["day_of", "days_column", "folder_column", "folder_of"]

_DAY_MS = 86_400_000
_LAST_DAY = 2_932_896  # 9999-12-31: a clock may say anything
_ODD = "[^A-Za-z0-9._-]"
_SHOWN, _HASH = 40, 12


def folder_of(group: str) -> str:
    """The folder of a group's events."""
    shown = re.sub(_ODD, "_", group)[:_SHOWN].lower()
    return f"{shown}~{hashlib.sha256(group.encode()).hexdigest()[:_HASH]}"


def folder_column() -> Column:
    """``folder_of`` the column ``group``."""
    group = f.col("group")
    shown = f.lower(f.substring(f.regexp_replace(group, _ODD, "_"), 1, _SHOWN))
    return f.concat(shown, f.lit("~"), f.substring(f.sha2(group.cast("binary"), 256), 1, _HASH))


def day_of(at: int) -> date:
    """The day (UTC) of a time in milliseconds; the last one there is for times after it."""
    return date(1970, 1, 1) + timedelta(days=min(at // _DAY_MS, _LAST_DAY))


def days_column() -> Column:
    """``day_of`` the column ``at``."""
    days = f.least(f.expr(f"at div {_DAY_MS}"), f.lit(_LAST_DAY))
    return f.date_from_unix_date(days.cast("int"))
