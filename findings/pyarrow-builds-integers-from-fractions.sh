#!/usr/bin/env bash
# pyarrow 26.0.1: Table.from_pylist(rows, schema), the usual way from decoded documents to columns, is strict about some
# losses and silent about others. It refuses true or 300 for int8, 2**53 + 1 for double and a Decimal with too many
# digits for a decimal; but 19.99, a float or a Decimal, becomes 19 in an integer column, and a datetime loses its
# fraction of a second in timestamp[s]. cast() refuses these, so a column that is built untyped and cast afterwards
# tells what from_pylist() does not. Infinity for 1e300 in a float column, and a date for a datetime, come from both.
. "$(dirname "$0")/support/common.sh"
python_with pyarrow==26.0.1
python_says "$(cat <<'SEEN'
bool True as int8: from_pylist refused, cast 1
int 300 as int8: from_pylist refused, cast refused
int 9007199254740993 as double: from_pylist refused, cast refused
Decimal 1.999 as decimal128(5, 2): from_pylist refused, cast refused
float 19.99 as int64: from_pylist 19, cast refused
Decimal 19.99 as int64: from_pylist 19, cast refused
float 1e+300 as float: from_pylist inf, cast inf
datetime 2026-07-01 12:00:00.999999 as date32[day]: from_pylist 2026-07-01, cast 2026-07-01
datetime 2026-07-01 12:00:00.999999 as timestamp[s]: from_pylist 2026-07-01 12:00:00, cast refused
SEEN
)" <<'PY'
from datetime import datetime
from decimal import Decimal

import pyarrow as pa


def built(value, kind):
    return pa.Table.from_pylist([{"c": value}], pa.schema([("c", kind)]))["c"][0].as_py()


def cast(value, kind):
    return pa.Table.from_pylist([{"c": value}])["c"].cast(kind)[0].as_py()


def outcome(make, *given):
    try:
        return make(*given)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return "refused"


noon = datetime(2026, 7, 1, 12, 0, 0, 999_999)
for value, kind in (
    (True, pa.int8()),
    (300, pa.int8()),
    (2**53 + 1, pa.float64()),
    (Decimal("1.999"), pa.decimal128(5, 2)),
    (19.99, pa.int64()),
    (Decimal("19.99"), pa.int64()),
    (1e300, pa.float32()),
    (noon, pa.date32()),
    (noon, pa.timestamp("s")),
):
    given = f"{type(value).__name__} {value} as {kind}"
    print(f"{given}: from_pylist {outcome(built, value, kind)}, cast {outcome(cast, value, kind)}")
PY
