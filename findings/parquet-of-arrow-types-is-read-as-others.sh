#!/usr/bin/env bash
# pyarrow 26.0.1 writes nearly all of Arrow's types to Parquet, and reads them back. Other engines see less. Spark 4.3.0
# refuses the whole file if one column is a UUID, a half float, a time or a timestamp in nanoseconds, or a decimal
# beyond 38 digits; with spark.sql.timeType.enabled it reads times, but not those of milliseconds, although time[s] is
# written as such. DuckDB 2.0.1 reads that decimal as a double, without a word; polars 2.1.0 refuses it. A duration is a
# bare integer to Spark and DuckDB, with its unit lost. A column of nulls is an int to Spark. polars makes a date64 a
# timestamp, which pyarrow and the others read as a date, and keeps one entry of a map that has the same key twice.
. "$(dirname "$0")/support/common.sh"
python_with pyarrow==26.0.1 pyspark==4.3.0 duckdb==2.0.1 polars==2.1.0
python_says "$(cat <<'SEEN'
time32[s]: pyarrow time32[ms]; Spark PARQUET_TYPE_ILLEGAL; with times PARQUET_TYPE_ILLEGAL; DuckDB TIME; polars Time
time64[us]: pyarrow time64[us]; Spark UNSUPPORTED_TIME_TYPE; with times time(6); DuckDB TIME; polars Time
timestamp[ns, tz=UTC]: pyarrow timestamp[ns, tz=UTC]; Spark PARQUET_TYPE_ILLEGAL; with times PARQUET_TYPE_ILLEGAL; DuckDB TIMESTAMPTZ_NS; polars Datetime('ns', 'UTC')
extension<arrow.uuid>: pyarrow extension<arrow.uuid>; Spark PARQUET_TYPE_ILLEGAL; with times PARQUET_TYPE_ILLEGAL; DuckDB UUID; polars Binary
halffloat: pyarrow halffloat; Spark PARQUET_TYPE_ILLEGAL; with times PARQUET_TYPE_ILLEGAL; DuckDB FLOAT; polars Float16
decimal256(40, 2): pyarrow decimal256(40, 2); Spark DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION; with times DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION; DuckDB DOUBLE; polars InvalidOperationError
duration[us]: pyarrow duration[us]; Spark bigint; with times bigint; DuckDB BIGINT; polars Duration('us')
null: pyarrow null; Spark int; with times int; DuckDB "NULL"; polars Null
date64[ms]: pyarrow date32[day]; Spark date; with times date; DuckDB DATE; polars Datetime('ms')
the key twice: Spark {a -> 1, a -> 2}; polars {'a': 2}
SEEN
)" <<'PY'
import os
import re
import uuid
from decimal import Decimal

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

COLUMNS = [
    pa.array([1], pa.time32("s")),
    pa.array([1], pa.time64("us")),
    pa.array([1], pa.timestamp("ns", "UTC")),
    pa.array([uuid.UUID(int=1).bytes], pa.uuid()),
    pa.array([1.5], pa.float16()),
    pa.array([Decimal("1.25")], pa.decimal256(40, 2)),
    pa.array([5_000_000], pa.duration("us")),
    pa.array([None], pa.null()),
    pa.array([86_400_000], pa.date64()),
]
FILE = os.path.join(os.path.dirname(__file__), "one.parquet")
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")


def by_spark(times):
    spark.conf.set("spark.sql.timeType.enabled", times)
    try:
        frame = spark.read.parquet(FILE)
        frame.collect()
        return frame.schema[0].dataType.simpleString()
    except Exception as error:
        return re.search(r"\[([A-Z_]+)\]", str(error))[1]


def by_polars():
    try:
        return re.sub(r"time_unit=|, time_zone=None|time_zone=", "", str(polars.read_parquet(FILE)["c"].dtype))
    except polars.exceptions.PolarsError as error:
        return type(error).__name__


for column in COLUMNS:
    pq.write_table(pa.table({"c": column}), FILE)
    back = pq.read_table(FILE)["c"].type
    kind = duckdb.execute(f"select typeof(c) from '{FILE}'").fetchone()[0]
    print(
        f"{column.type}: pyarrow {back}; Spark {by_spark('false')}; with times {by_spark('true')}; "
        f"DuckDB {kind}; polars {by_polars()}"
    )
pq.write_table(pa.table({"c": pa.array([[("a", 1), ("a", 2)]], pa.map_(pa.string(), pa.int32()))}), FILE)
(row,) = spark.read.parquet(FILE).selectExpr("cast(c as string)").collect()
print(f"the key twice: Spark {row[0]}; polars {polars.read_parquet(FILE)['c'][0]}")
PY
