#!/usr/bin/env bash
# fastavro 1.13.1 compares a value with the schema only where it has to choose a branch of a union. A plain number or
# boolean it converts: a long of 19.99, float or Decimal, is written as 19, a timestamp of 1.5 as the integer 1, and a
# boolean of the text "false" as true. An int takes any number of 64 bits: fastavro reads 2**40 + 7 back, and polars
# 2.1.0 reads the same file without an error as 7. So an amount loses its cents in a long, and is refused as soon as the
# field's type is ["null", "long"]. avro 1.12.2 of Python refuses all of these. confluent-kafka's AvroSerializer writes
# with fastavro; its option validate.strict is about which fields there are, not about their values.
. "$(dirname "$0")/support/common.sh"
python_with fastavro==1.13.1 avro==1.12.2 polars==2.1.0
python_says "$(cat <<'SEEN'
long of 19.99: fastavro 19, avro refuses
long of Decimal('19.99'): fastavro 19, avro refuses
timestamp-millis of 1.5: fastavro 1, avro refuses
boolean of 'false': fastavro True, avro refuses
int of 1099511627783: fastavro 1099511627783, avro refuses
['null', 'long'] of 19.99: fastavro refuses, avro refuses
int of 1099511627783, written by fastavro, read by polars: 7
int of 3000000000, written by fastavro, read by polars: -1294967296
SEEN
)" <<'PY'
import io
import json
from decimal import Decimal

import avro.io
import avro.schema
import fastavro
import polars as pl

TRIED = [
    ("long", 19.99),
    ("long", Decimal("19.99")),
    ({"type": "long", "logicalType": "timestamp-millis"}, 1.5),
    ("boolean", "false"),
    ("int", 2**40 + 7),
    (["null", "long"], 19.99),
]


def by_fastavro(schema, value):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, value)
    bare = schema["type"] if isinstance(schema, dict) else schema
    return fastavro.schemaless_reader(io.BytesIO(out.getvalue()), bare)


def by_avro(schema, value):
    parsed = avro.schema.parse(json.dumps(schema))
    out = io.BytesIO()
    avro.io.DatumWriter(parsed).write(value, avro.io.BinaryEncoder(out))
    return avro.io.DatumReader(parsed).read(avro.io.BinaryDecoder(io.BytesIO(out.getvalue())))


def outcome(write_and_read, schema, value):
    try:
        return repr(write_and_read(schema, value))
    except Exception:
        return "refuses"


for schema, value in TRIED:
    name = schema["logicalType"] if isinstance(schema, dict) else schema
    told = (f"{who} {outcome(how, schema, value)}" for who, how in (("fastavro", by_fastavro), ("avro", by_avro)))
    print(f"{name} of {value!r}: {', '.join(told)}")

record = {"type": "record", "name": "row", "fields": [{"name": "a", "type": "int"}]}
for value in (2**40 + 7, 3_000_000_000):
    file = io.BytesIO()
    fastavro.writer(file, record, [{"a": value}])
    file.seek(0)
    print(f"int of {value}, written by fastavro, read by polars: {pl.read_avro(file)['a'][0]}")
PY
