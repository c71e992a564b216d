#!/usr/bin/env bash
# deltalake 1.6.6 writes the smallest and the greatest value of each decimal column into Delta's log as JSON numbers
# that went through a double (delta-rs's issue 3905), so they may be wrong from 16 digits on, and files are skipped by
# them: a filter for a value that the table holds finds no row, without an error. That is so for to_pyarrow_table(), for
# DuckDB 2.0.1 on to_pyarrow_dataset(), for SQL (QueryBuilder) and for polars 2.1.0, which asks deltalake for the files.
# Where the double has more digits than the column's type, SQL and polars find the row; but the dataset then compares
# with null, and no filter on the column finds anything. With 19.99 all of them are right.
. "$(dirname "$0")/support/common.sh"
python_with deltalake==1.6.6 pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1
python_says "$(cat <<'SEEN'
decimal128(38, 2), 19.99: = finds 1, >= 1, > one less 1; DuckDB 1, SQL 1, polars 1
decimal128(38, 2), 123456789012345.67: = finds 0, >= 1, > one less 1; DuckDB 0, SQL 0, polars 0
decimal128(20, 0), 9007199254740993: = finds 0, >= 0, > one less 0; DuckDB 0, SQL 0, polars 0
decimal128(20, 6), 1790000000123.456789: = finds 0, >= 1, > one less 1; DuckDB 0, SQL 0, polars 0
decimal128(38, 2), 12345678901234567.89: = finds 0, >= 0, > one less 0; DuckDB 0, SQL 1, polars 1
SEEN
)" <<'PY'
import os
import tempfile
from decimal import Decimal

import duckdb
import polars as pl
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

TRIED = [
    (pa.decimal128(38, 2), "19.99"),
    (pa.decimal128(38, 2), "123456789012345.67"),
    (pa.decimal128(20, 0), "9007199254740993"),
    (pa.decimal128(20, 6), "1790000000123.456789"),
    (pa.decimal128(38, 2), "12345678901234567.89"),
]
for kind, text in TRIED:
    value = Decimal(text)
    same = f"c = cast('{text}' as decimal({kind.precision}, {kind.scale}))"
    with tempfile.TemporaryDirectory(dir=os.path.dirname(__file__)) as folder:
        write_deltalake(folder, pa.table({"c": pa.array([value], kind)}))
        table = DeltaTable(folder)
        equal, at_least, more = (
            table.to_pyarrow_table(filters=[("c", sign, pa.scalar(bound, kind))]).num_rows
            for sign, bound in (("=", value), (">=", value), (">", value - 1))
        )
        rows = table.to_pyarrow_dataset()
        ((by_duckdb,),) = duckdb.sql(f"select count(*) from rows where {same}").fetchall()
        by_sql = pa.table(QueryBuilder().register("t", table).execute(f"select c from t where {same}").read_all())
        by_polars = pl.scan_delta(folder).filter(pl.col("c") == value).collect()
        print(
            f"{kind}, {text}: = finds {equal}, >= {at_least}, > one less {more}; "
            f"DuckDB {by_duckdb}, SQL {by_sql.num_rows}, polars {by_polars.height}"
        )
PY
