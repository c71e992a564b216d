#!/usr/bin/env bash
# Avro writes the default of bytes, and so of a decimal, as a JSON string whose characters U+0000 to U+00FF are the bytes;
# a reader's schema gives it for a field that the writer had not. fastavro 1.13.1 hands out that JSON as it stands: text
# for bytes, text for a decimal, a number for a timestamp, a record without the fields that have defaults of their own.
# avro 1.12.2 of Python encodes the text as UTF-8, so that one byte FF becomes two others, and also leaves out the
# logical type.
# Both read the same values right where they were written. (The text for bytes is fastavro's issue 869.)
. "$(dirname "$0")/support/common.sh"
python_with avro==1.12.2 fastavro==1.13.1
python_says "bytes FF: fastavro '\xff'; avro b'\xc3\xbf'
decimal 0.01: fastavro '\x01'; avro b'\x01'
timestamp 0: fastavro 0; avro 0
record of v, and u with default 7: fastavro {'v': 1}; avro {'u': 7, 'v': 1}
bytes FF when written: fastavro b'\xff'; avro b'\xff'
timestamp 0 when written: fastavro 1970-01-01 00:00:00+00:00; avro 1970-01-01 00:00:00+00:00" <<'PY'
import io
import json

import avro.io
import avro.schema
import fastavro

timestamp = {"type": "long", "logicalType": "timestamp-millis"}
decimal = {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}


def record(*fields, name="R"):
    return {"type": "record", "name": name, "fields": list(fields)}


def by_fastavro(value, writer, reader):
    return fastavro.schemaless_reader(io.BytesIO(value), writer, reader)


def by_avro(value, writer, reader):
    schemas = (avro.schema.parse(json.dumps(schema)) for schema in (writer, reader))
    return avro.io.DatumReader(*schemas).read(avro.io.BinaryDecoder(io.BytesIO(value)))


def tell(name, value, writer, reader, form=ascii):
    told = (form(read(value, writer, reader)["x"]) for read in (by_fastavro, by_avro))
    print(f"{name}: fastavro {next(told)}; avro {next(told)}")


empty = record()
tell("bytes FF", b"", empty, record({"name": "x", "type": "bytes", "default": "\u00ff"}))
tell("decimal 0.01", b"", empty, record({"name": "x", "type": decimal, "default": "\u0001"}))
tell("timestamp 0", b"", empty, record({"name": "x", "type": timestamp, "default": 0}))
inner = record({"name": "u", "type": "int", "default": 7}, {"name": "v", "type": "int"}, name="N")
tell("record of v, and u with default 7", b"", empty, record({"name": "x", "type": inner, "default": {"v": 1}}))
whole = record({"name": "x", "type": "bytes"})
tell("bytes FF when written", b"\x02\xff", whole, whole)
whole = record({"name": "x", "type": timestamp})
tell("timestamp 0 when written", b"\x00", whole, whole, str)
PY
