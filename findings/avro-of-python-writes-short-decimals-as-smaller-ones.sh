#!/usr/bin/env bash
# avro 1.12.2 (Apache's Python package) writes the digits of a Decimal that has fewer places than the schema's scale as
# if they were scaled already, as bytes and as fixed, without an error: of scale 2, 1.5 becomes 0.15, and 100 becomes
# 1.00. Whatever a value lost by normalize(), or never had, counts. fastavro 1.13.1 writes 1.50 and 100.00.
. "$(dirname "$0")/support/common.sh"
python_with avro==1.12.2 fastavro==1.13.1
python_says "1.50: avro 0096, read as 1.50; fastavro 0096, read as 1.50
1.5: avro 0f, read as 0.15; fastavro 0096, read as 1.50
100: avro 64, read as 1.00; fastavro 2710, read as 100.00
1E+2: avro 01, read as 0.01; fastavro 2710, read as 100.00" <<'PY'
import io
import json
from decimal import Decimal

import avro.io
import avro.schema
import fastavro

decimal = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}


def by_avro(value):
    out = io.BytesIO()
    avro.io.DatumWriter(avro.schema.parse(json.dumps(decimal))).write(value, avro.io.BinaryEncoder(out))
    return out.getvalue()


def by_fastavro(value):
    out = io.BytesIO()
    fastavro.schemaless_writer(out, decimal, value)
    return out.getvalue()


for text in ("1.50", "1.5", "100", "1E+2"):
    told = []
    for name, written in (("avro", by_avro(Decimal(text))), ("fastavro", by_fastavro(Decimal(text)))):
        told.append(f"{name} {written[1:].hex()}, read as {fastavro.schemaless_reader(io.BytesIO(written), decimal)}")
    print(f"{text}: {'; '.join(told)}")
PY
