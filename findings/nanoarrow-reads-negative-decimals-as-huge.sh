#!/usr/bin/env bash
# nanoarrow 0.9.0 turns the bytes of a decimal into a Python Decimal as if they had no sign: -1.50 of decimal128(10, 2),
# made by pyarrow 26.0.1, becomes 2**128 less 150 hundredths, rounded to the type's ten digits, 3.402823669E+36.
# decimal256 does the same with 2**256, and so do arrays, streams and tuples of rows. Positive decimals are right, and
# so are negative integers; what comes out wrong are refunds and corrections.
. "$(dirname "$0")/support/common.sh"
python_with nanoarrow==0.9.0 pyarrow==26.0.1
python_says "$(cat <<'SEEN'
decimal128(10, 2): 1.50 as 1.50, -1.50 as 3.402823669E+36
decimal128(38, 2): 0.01 as 0.01, -0.01 as 3402823669209384634633746074317682114.6
decimal256(40, 2): 1.50 as 1.50, -1.50 as 1.157920892373161954235709850086879078533E+75
rows of a stream: 3.402823669E+36
int64: -150 as -150
SEEN
)" <<'PY'
from decimal import Decimal

import nanoarrow as na
import pyarrow as pa

for kind, text in ((pa.decimal128(10, 2), "1.50"), (pa.decimal128(38, 2), "0.01"), (pa.decimal256(40, 2), "1.50")):
    value = Decimal(text)
    plus, minus = na.Array(pa.array([value, -value], kind)).to_pylist()
    print(f"{kind}: {value} as {plus}, {-value} as {minus}")

table = pa.table({"amount": pa.array([Decimal("-1.50")], pa.decimal128(10, 2))})
print(f"rows of a stream: {[row for row, in na.ArrayStream(table.to_reader()).iter_tuples()][0]}")
print(f"int64: -150 as {na.Array(pa.array([-150], pa.int64())).to_pylist()[0]}")
PY
