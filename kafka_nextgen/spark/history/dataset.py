"""The directories of the Parquet dataset: one for each day, and below it one for each group.

A group's id may have any characters, be longer than a file name, differ from another only in case, or look like a
number. The name of its folder is therefore a readable part of the id and a hash; the id itself is a column of the
files.
"""

from __future__ import annotations

import hashlib
import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException
from pyspark.sql import functions as f

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["day_column", "day_of", "folder_column", "folder_of", "parquet_if_any"]

_DAY_MS = 86_400_000
_LAST_DAY = 2_932_896  # 9999-12-31; a clock may be wrong
_ODD = "[^A-Za-z0-9._-]"
_SHOWN, _HASH = 40, 12


def folder_of(group: str) -> str:
    """Return the name of a group's folder."""
    shown = re.sub(_ODD, "_", group)[:_SHOWN].lower()
    return f"{shown}~{hashlib.sha256(group.encode()).hexdigest()[:_HASH]}"


def folder_column() -> Column:
    """``folder_of`` for the column ``group``."""
    group = f.col("group")
    shown = f.lower(f.substring(f.regexp_replace(group, _ODD, "_"), 1, _SHOWN))
    return f.concat(shown, f.lit("~"), f.substring(f.sha2(group.cast("binary"), 256), 1, _HASH))


def day_of(at: int) -> date:
    """Return the day (UTC) of a time in milliseconds, at most the last day of the calendar."""
    return date(1970, 1, 1) + timedelta(days=min(at // _DAY_MS, _LAST_DAY))


def day_column() -> Column:
    """``day_of`` for the column ``at``."""
    days = f.least(f.expr(f"at div {_DAY_MS}"), f.lit(_LAST_DAY))
    return f.date_from_unix_date(days.cast("int"))


def parquet_if_any(spark: SparkSession, path: str, schema: StructType, base: str | None = None) -> DataFrame | None:
    """Return the files of a path or glob; None if it does not exist. Directories below ``base`` become columns.

    The path is given twice and read once: for a single path Spark checks whether a stream wrote it, and logs a
    traceback if it is a glob.
    """
    try:
        return spark.read.schema(schema).option("basePath", path if base is None else base).parquet(path, path)
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        return None
