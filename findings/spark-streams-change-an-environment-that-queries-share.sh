#!/usr/bin/env bash
# Spark 4.3.0 keeps one environment for all queries of a registered Python data source, in a Java HashMap, and the start
# of a streaming query adds four names to it (PythonStreamingSourceRunner writes into the map of the function that it was
# given; the runner that plans batches copies it first). Spark serializes that map with the tasks of each query. Where two
# streaming queries of a source start at the same time, the map can grow meanwhile, and the tasks of the other query end
# with java.io.OptionalDataException: seen once in some twenty runs. The script shows the map, before and after.
. "$(dirname "$0")/support/common.sh"
python_with pyspark==4.3.0 "pyarrow==26.0.1" "pandas<3"
export PYSPARK_PYTHON=$PYTHON
python_says "registered: PYTHONHASHSEED
after a batch: PYTHONHASHSEED
after a stream has started: PYTHONHASHSEED SPARK_AUTH_SOCKET_TIMEOUT SPARK_BUFFER_SIZE SPARK_LOCAL_DIRS SPARK_PYTHON_RUNTIME" <<'PY'
import os
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition, SimpleDataSourceStreamReader


class Batch(DataSourceReader):
    def partitions(self):
        return [InputPartition(0)]

    def read(self, partition):
        yield (1,)


class Stream(SimpleDataSourceStreamReader):
    def initialOffset(self):
        return {"read": 0}

    def read(self, start):
        return iter([] if start["read"] else [(1,)]), {"read": 1}

    def readBetweenOffsets(self, start, end):
        return iter([(1,)])


class Source(DataSource):
    @classmethod
    def name(cls):
        return "one_number"

    def schema(self):
        return "number int"

    def reader(self, schema):
        return Batch()

    def simpleStreamReader(self, schema):
        return Stream()


spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
spark.dataSource.register(Source)
sources = spark._jsparkSession.sessionState().dataSourceManager()


def names():
    return " ".join(sorted(sources.lookupDataSource("one_number").dataSourceCls().envVars()))


print("registered:", names())
assert spark.read.format("one_number").load().count() == 1
print("after a batch:", names())
writer = spark.readStream.format("one_number").load().writeStream.format("noop")
query = writer.option("checkpointLocation", tempfile.mkdtemp(dir=os.environ.get("WORK"))).start()
query.processAllAvailable()
print("after a stream has started:", names())
query.stop()
spark.stop()
PY
