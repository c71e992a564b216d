#!/usr/bin/env bash
# deltalake 1.6.6: an append is cast to the types of the table, and that cast refuses some losses only. A text that is
# no number, an integer that is too large and a decimal of another scale are refused; but 19.99 becomes 19 where the
# table has long, 1e300 becomes infinity where it has float, and a timestamp loses its time where it has date.
# schema_mode="merge" makes no difference. So a topic whose first batch had only whole amounts loses the cents of all
# later batches, and offsets can be committed as if all had been written.
. "$(dirname "$0")/support/common.sh"
python_with deltalake==1.6.6 pyarrow==26.0.1
python_says "$(cat <<'SEEN'
int64 to integer: refused
string to long: refused
decimal128(4, 2) to decimal: refused
double to long: 19
double to long, merge: 19
double to float: inf
timestamp[us, tz=UTC] to date: 1970-01-01
SEEN
)" <<'PY'
import decimal
import os
import tempfile

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

TRIED = [
    ("int64 to integer", pa.int32(), 1, pa.int64(), 2**40, None),
    ("string to long", pa.int64(), 1, pa.string(), "x", None),
    ("decimal128(4, 2) to decimal", pa.decimal128(4, 0), 1, pa.decimal128(4, 2), decimal.Decimal("19.99"), None),
    ("double to long", pa.int64(), 1, pa.float64(), 19.99, None),
    ("double to long, merge", pa.int64(), 1, pa.float64(), 19.99, "merge"),
    ("double to float", pa.float32(), 1, pa.float64(), 1e300, None),
    ("timestamp[us, tz=UTC] to date", pa.date32(), 1, pa.timestamp("us", "UTC"), 86_399_000_000, None),
]


def table(kind, value, number):
    return pa.table({"n": [number], "c": pa.array([value], kind)})


for told, kind, value, later_kind, later, mode in TRIED:
    with tempfile.TemporaryDirectory(dir=os.path.dirname(__file__)) as folder:
        write_deltalake(folder, table(kind, value, 1))
        try:
            write_deltalake(folder, table(later_kind, later, 2), mode="append", schema_mode=mode)
        except Exception:
            print(f"{told}: refused")
            continue
        rows = {row["n"]: row["c"] for row in DeltaTable(folder).to_pyarrow_table().to_pylist()}
        print(f"{told}: {rows[2]}")
PY
