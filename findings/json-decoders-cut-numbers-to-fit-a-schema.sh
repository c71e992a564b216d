#!/usr/bin/env bash
# A JSON number that is no value of the type that the schema names: pyarrow 26.0.1 and read_ndjson() of polars 2.1.0
# refuse it. str.json_decode(dtype) of polars 2.1.0, the way to decode a column of documents, and read_json() of
# arro3-io 0.9.1 give another value instead. In an integer column both make 19.99 a 19, and polars makes 2**64 a null.
# In a decimal column arro3 cuts the digits that are too many, and polars goes through a double, which also changes
# digits that the column has room for. No error and no row says that a value was lost.
. "$(dirname "$0")/support/common.sh"
python_with polars==2.1.0 arro3-core==0.9.1 arro3-io==0.9.1 pyarrow==26.0.1
python_says "$(cat <<'SEEN'
19.99 as an integer: json_decode 19, read_ndjson refused, arro3 19, pyarrow refused
18446744073709551616 as an integer: json_decode None, read_ndjson refused, arro3 refused, pyarrow refused
12345678901234567.89 as a decimal: json_decode 12345678901234567.68, read_ndjson refused, arro3 12345678901234567.89, pyarrow 12345678901234567.89
1.999 as a decimal: json_decode 2.00, read_ndjson refused, arro3 1.99, pyarrow refused
SEEN
)" <<'PY'
import io

import arro3.io
import polars as pl
import pyarrow as pa
import pyarrow.json

KINDS = {"an integer": (pl.Int64, pa.int64()), "a decimal": (pl.Decimal(38, 2), pa.decimal128(38, 2))}


def json_decode(text, polars_kind, _):
    return pl.Series([text]).str.json_decode(pl.Struct({"a": polars_kind})).struct.field("a")[0]


def read_ndjson(text, polars_kind, _):
    return pl.read_ndjson(io.BytesIO(text.encode()), schema={"a": polars_kind})["a"][0]


def arro3_(text, _, kind):
    reader = arro3.io.read_json(io.BytesIO(text.encode()), pa.schema([("a", kind)]))
    return pa.table(reader.read_all())["a"][0]


def pyarrow_(text, _, kind):
    options = pa.json.ParseOptions(explicit_schema=pa.schema([("a", kind)]))
    return pa.json.read_json(io.BytesIO(text.encode()), parse_options=options)["a"][0]


def outcome(read, *given):
    try:
        return read(*given)
    except Exception:
        return "refused"


def told(number, kind):
    text = '{"a": %s}\n' % number
    readers = (json_decode, read_ndjson, arro3_, pyarrow_)
    return ", ".join(f"{read.__name__.rstrip('_')} {outcome(read, text, *KINDS[kind])}" for read in readers)


for number, kind in (
    ("19.99", "an integer"),
    (str(2**64), "an integer"),
    ("12345678901234567.89", "a decimal"),
    ("1.999", "a decimal"),
):
    print(f"{number} as {kind}: {told(number, kind)}")
PY
