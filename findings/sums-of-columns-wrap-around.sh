#!/usr/bin/env bash
# A sum that is too large for the type of its column, by library, on one Arrow table. polars 2.1.0 adds int32 (an Avro
# int, a Protobuf int32) in 32 bits, though it widens int16: two times 2,000,000,000 are -294967296 (polars's issue
# 13782); the others widen. int64 wraps in pyarrow 26.0.1, polars and DataFusion 55.0.0. Decimals of 38 digits, as the
# 18 places of a token take them, wrap in these too and change their sign, which pyarrow's mean inherits; polars refuses
# them in select(), but not in group_by(). Only DuckDB 2.0.1 gives the true sum, or an error.
. "$(dirname "$0")/support/common.sh"
python_with pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1 datafusion==55.0.0
python_says "$(cat <<'SEEN'
int16: true sum 60000
  pyarrow 60000, by group 60000; polars 60000, by group 60000; DuckDB 60000; DataFusion 60000
int32: true sum 4000000000
  pyarrow 4000000000, by group 4000000000; polars -294967296, by group -294967296; DuckDB 4000000000; DataFusion 4000000000
int64: true sum 10000000000000000000
  pyarrow -8446744073709551616, by group -8446744073709551616; polars -8446744073709551616, by group -8446744073709551616; DuckDB 10000000000000000000; DataFusion -8446744073709551616
decimal128(38, 18): true sum 180000000000000000000.000000000000000000
  pyarrow -160282366920938463463.374607431768211456, by group -160282366920938463463.374607431768211456; polars refused, by group -160282366920938463463.374607431768211456; DuckDB refused; DataFusion -160282366920938463463.374607431768211456
  mean by pyarrow: -80141183460469231731.687303715884105728
SEEN
)" <<'PY'
from decimal import Decimal, localcontext

import datafusion
import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc


def tried(sum_of):
    try:
        return sum_of()
    except Exception:
        return "refused"


TRIED = [
    (pa.int16(), 30_000),
    (pa.int32(), 2_000_000_000),
    (pa.int64(), 5_000_000_000_000_000_000),
    (pa.decimal128(38, 18), Decimal("90000000000000000000.000000000000000000")),
]
for kind, value in TRIED:
    amounts = pa.table({"g": ["a", "a"], "c": pa.array([value, value], kind)})
    frame, context = pl.from_arrow(amounts), datafusion.SessionContext()
    context.register_record_batches("amounts", [amounts.to_batches()])
    sums = {
        "pyarrow": lambda: pc.sum(amounts["c"]).as_py(),
        "pyarrow by group": lambda: amounts.group_by("g").aggregate([("c", "sum")])["c_sum"][0].as_py(),
        "polars": lambda: frame.select(pl.col("c").sum()).to_arrow()["c"][0].as_py(),
        "polars by group": lambda: frame.group_by("g").agg(pl.col("c").sum()).to_arrow()["c"][0].as_py(),
        "DuckDB": lambda: duckdb.sql("select sum(c) from amounts").fetchall()[0][0],
        "DataFusion": lambda: context.sql("select sum(c) s from amounts").to_arrow_table()["s"][0].as_py(),
    }
    seen = {name: tried(sum_of) for name, sum_of in sums.items()}
    with localcontext() as digits:
        digits.prec = 60
        print(f"{kind}: true sum {value + value}")
    print(
        f"  pyarrow {seen['pyarrow']}, by group {seen['pyarrow by group']}; "
        f"polars {seen['polars']}, by group {seen['polars by group']}; "
        f"DuckDB {seen['DuckDB']}; DataFusion {seen['DataFusion']}"
    )
    if pa.types.is_decimal(kind):
        print(f"  mean by pyarrow: {pc.mean(amounts['c'])}")
PY
