"""A topic of JSON to a table of DuckDB, and to a Parquet file: json_to_duckdb.py localhost:9092 orders.parquet"""

import sys

import duckdb
import pyarrow as pa

import kafka_nextgen
from kafka_nextgen.values import Json

order = Json(pa.schema([("id", pa.int64()), ("country", pa.string()), ("price", pa.decimal128(9, 2))]))
with kafka_nextgen.scan("json-orders", bootstrap_servers=sys.argv[1], value=order) as scanned:
    duckdb.sql("CREATE TABLE orders AS FROM scanned")
duckdb.sql("SELECT country, count(*) AS orders, sum(price) AS total FROM orders GROUP BY ALL ORDER BY country").show()
duckdb.sql(f"COPY orders TO '{sys.argv[2]}'")
