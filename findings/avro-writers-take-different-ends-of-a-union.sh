#!/usr/bin/env bash
# Of a union's branches that fit a value, fastavro 1.13.1 writes the first (but a double rather than a float) and avro
# 1.12.2, Apache's Python package, the last. Neither looks for the one that keeps the value, so some orders lose data
# without an error: fastavro writes the date alone of a datetime, which in Python is also a date, and an int as double;
# avro does the latter where double comes last, and writes a float where float does. No order of long and double is
# safe with both.
. "$(dirname "$0")/support/common.sh"
python_with avro==1.12.2 fastavro==1.13.1
python_says "2026-01-02 23:59:59+00:00 as date, timestamp: fastavro 2026-01-02; avro 2026-01-02 23:59:59+00:00
9007199254740993 as double, long: fastavro 9007199254740992.0; avro 9007199254740993
9007199254740993 as long, double: fastavro 9007199254740993; avro 9007199254740992.0
0.1 as double, float: fastavro 0.1; avro 0.10000000149011612" <<'PY'
import io
import json
from datetime import datetime, timezone

import avro.io
import avro.schema
import fastavro

TYPES = {
    "date": {"type": "int", "logicalType": "date"},
    "timestamp": {"type": "long", "logicalType": "timestamp-millis"},
}


def by_fastavro(union, value):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, union, value)
    return out.getvalue()


def by_avro(union, value):
    out = io.BytesIO()
    avro.io.DatumWriter(avro.schema.parse(json.dumps(union))).write(value, avro.io.BinaryEncoder(out))
    return out.getvalue()


def read(union, written):
    return fastavro.schemaless_reader(io.BytesIO(written), union)


for value, *names in (
    (datetime(2026, 1, 2, 23, 59, 59, tzinfo=timezone.utc), "date", "timestamp"),
    (2**53 + 1, "double", "long"),
    (2**53 + 1, "long", "double"),
    (0.1, "double", "float"),
):
    union = ["null", *(TYPES.get(name, name) for name in names)]
    told = f"fastavro {read(union, by_fastavro(union, value))}; avro {read(union, by_avro(union, value))}"
    print(f"{value} as {', '.join(names)}: {told}")
PY
