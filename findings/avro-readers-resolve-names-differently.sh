#!/usr/bin/env bash
# A field renamed with an alias, and given a default for older values, is read by fastavro 1.13.1 from the old name;
# avro 1.12.2 of Python knows no aliases and returns the default, without an error, for every value written before.
# In a union of records that share a name but not the namespace (units.m.Length, units.ft.Length), a reader's schema
# with the branches in another order misleads fastavro: it takes the first of that short name, as the specification's
# text allows, and 3 feet become 3 metres. avro goes by full names.
. "$(dirname "$0")/support/common.sh"
python_with avro==1.12.2 fastavro==1.13.1
python_says "renamed: fastavro {'price': 5}; avro {'price': -1}
units.ft.Length: fastavro {'length': {'value': 3, 'unit': 'm'}}; avro {'length': {'value': 3, 'unit': 'ft'}}
units.m.Length: fastavro {'length': {'value': 3, 'unit': 'm'}}; avro {'length': {'value': 3, 'unit': 'm'}}" <<'PY'
import io
import json

import avro.io
import avro.schema
import fastavro


def record(*fields, name="R", **more):
    return {"type": "record", "name": name, "fields": list(fields), **more}


def tell(name, value, writer, reader):
    by_fastavro = fastavro.schemaless_reader(io.BytesIO(value), writer, reader)
    schemas = (avro.schema.parse(json.dumps(schema)) for schema in (writer, reader))
    by_avro = avro.io.DatumReader(*schemas).read(avro.io.BinaryDecoder(io.BytesIO(value)))
    print(f"{name}: fastavro {by_fastavro}; avro {by_avro}")


def length(unit, *fields):
    return record({"name": "value", "type": "long"}, *fields, name="Length", namespace=f"units.{unit}")


def unit_of(unit):
    return {"name": "unit", "type": "string", "default": unit}


old = record({"name": "cost", "type": "int"})
new = record({"name": "price", "type": "int", "aliases": ["cost"], "default": -1})
tell("renamed", b"\x0a", old, new)

writer = record({"name": "length", "type": [length("ft"), length("m")]})
reader = record({"name": "length", "type": [length("m", unit_of("m")), length("ft", unit_of("ft"))]})
tell("units.ft.Length", b"\x00\x06", writer, reader)
tell("units.m.Length", b"\x02\x06", writer, reader)
PY
