"""Parquet files that may not be there yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["parquet_if_any"]


def parquet_if_any(spark: SparkSession, path: str, schema: StructType, base: str | None = None) -> DataFrame | None:
    """The files of a path or glob; None if there is no such path. Columns of directories are those below ``base``.

    It is named twice, and read once: of one path alone Spark asks whether a stream wrote it, and logs a traceback for
    a glob.
    """
    try:
        return spark.read.schema(schema).option("basePath", path if base is None else base).parquet(path, path)
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        return None
