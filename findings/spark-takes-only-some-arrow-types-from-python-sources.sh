#!/usr/bin/env bash
# Spark 4.3.0: a Python data source may yield Arrow batches, but only of exactly the types that Spark itself would make.
# Equal values in other Arrow types are refused with DATA_SOURCE_RETURN_SCHEMA_MISMATCH, not cast: a dictionary, a
# string_view or a large_string where the schema says string, int32 for bigint, a timestamp in ms or without UTC.
. "$(dirname "$0")/support/common.sh"
python_with pyspark==4.3.0 "pyarrow==26.0.1" "pandas<3"
export PYSPARK_PYTHON=$PYTHON
python_says "string as string: 1 row
string as dictionary<values=string, indices=int32, ordered=0>: DATA_SOURCE_RETURN_SCHEMA_MISMATCH
string as string_view: DATA_SOURCE_RETURN_SCHEMA_MISMATCH
string as large_string: DATA_SOURCE_RETURN_SCHEMA_MISMATCH
bigint as int32: DATA_SOURCE_RETURN_SCHEMA_MISMATCH
timestamp as timestamp[us, tz=UTC]: 1 row
timestamp as timestamp[ms, tz=UTC]: DATA_SOURCE_RETURN_SCHEMA_MISMATCH
timestamp as timestamp[us]: DATA_SOURCE_RETURN_SCHEMA_MISMATCH" <<'PY'
import re

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader

TRIED = [
    ("string", "a", pa.string()),
    ("string", "a", pa.dictionary(pa.int32(), pa.string())),
    ("string", "a", pa.string_view()),
    ("string", "a", pa.large_string()),
    ("bigint", 1, pa.int32()),
    ("timestamp", 1, pa.timestamp("us", "UTC")),
    ("timestamp", 1, pa.timestamp("ms", "UTC")),
    ("timestamp", 1, pa.timestamp("us")),
]


class Reader(DataSourceReader):
    def __init__(self, value, kind):
        self.value, self.kind = value, kind

    def read(self, partition):
        import pyarrow

        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([self.value], self.kind)], ["c"])


class Source(DataSource):
    @classmethod
    def name(cls):
        return "one"

    def schema(self):
        return f"c {TRIED[int(self.options['number'])][0]}"

    def reader(self, schema):
        return Reader(*TRIED[int(self.options["number"])][1:])


spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.dataSource.register(Source)
for number, (declared, _, kind) in enumerate(TRIED):
    try:
        told = f"{len(spark.read.format('one').option('number', number).load().collect())} row"
    except Exception as error:
        told = re.search(r"DATA_SOURCE_[A-Z_]+", str(error)).group()
    print(f"{declared} as {kind}: {told}")
spark.stop()
PY
