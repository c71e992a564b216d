#!/usr/bin/env bash
# A logical type that changes its unit (decimals of scale 2, then 4; timestamps in milliseconds, then microseconds) under
# an unchanged type of bytes or long resolves without an error, and each reader takes another schema's unit. With the
# conversions set, org.apache.avro:avro 1.12.2 counts the writer's number in the reader's unit: 12.34 becomes 0.1234,
# the year 2026 becomes 1970. fastavro 1.13.1 and avro 1.12.2 of Python take the writer's unit, and the writer's
# logical type altogether: one that the reader's schema adds to a long isn't applied, one that it drops still is.
. "$(dirname "$0")/support/common.sh"
python_with avro==1.12.2 fastavro==1.13.1
jars_of org.apache.avro:avro:1.12.2 org.slf4j:slf4j-nop:2.0.17
mkdir "$WORK/values"
python_says "fastavro scale-2-to-4: 12.34
avro scale-2-to-4: 12.34
fastavro millis-to-micros: 2026-01-02 03:04:05+00:00
avro millis-to-micros: 2026-01-02 03:04:05+00:00
fastavro long-to-millis: 1767323045000
avro long-to-millis: 1767323045000
fastavro millis-to-long: 2026-01-02 03:04:05+00:00
avro millis-to-long: 2026-01-02 03:04:05+00:00" <<'PY'
import io
import json
import os
from datetime import datetime, timezone
from decimal import Decimal

import avro.io
import avro.schema
import fastavro

number = {"type": "bytes", "logicalType": "decimal", "precision": 10}
millis, micros = ({"type": "long", "logicalType": f"timestamp-{unit}"} for unit in ("millis", "micros"))
when = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
cases = {
    "scale-2-to-4": (Decimal("12.34"), {**number, "scale": 2}, {**number, "scale": 4}),
    "millis-to-micros": (when, millis, micros),
    "long-to-millis": (1767323045000, {"type": "long"}, millis),
    "millis-to-long": (when, millis, {"type": "long"}),
}
folder = os.path.join(os.path.dirname(__file__), "values")
for name, (value, writer, reader) in cases.items():
    out = io.BytesIO()
    fastavro.schemaless_writer(out, writer, value)
    print(f"fastavro {name}: {fastavro.schemaless_reader(io.BytesIO(out.getvalue()), writer, reader)}")
    texts = json.dumps(writer), json.dumps(reader)
    resolving = avro.io.DatumReader(*map(avro.schema.parse, texts))
    print(f"avro {name}: {resolving.read(avro.io.BinaryDecoder(io.BytesIO(out.getvalue())))}")
    with open(os.path.join(folder, name), "w") as file:
        file.write("\n".join((*texts, out.getvalue().hex())))
PY
cat >"$WORK/Read.java" <<'JAVA'
import java.nio.file.*;
import java.util.*;
import org.apache.avro.*;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.generic.*;
import org.apache.avro.io.DecoderFactory;

public class Read {
    public static void main(String[] names) throws Exception {
        GenericData data = new GenericData();
        data.addLogicalTypeConversion(new Conversions.DecimalConversion());
        data.addLogicalTypeConversion(new TimeConversions.TimestampMillisConversion());
        data.addLogicalTypeConversion(new TimeConversions.TimestampMicrosConversion());
        for (String name : names) {
            List<String> lines = Files.readAllLines(Path.of(name));
            Schema writer = new Schema.Parser().parse(lines.get(0)), reader = new Schema.Parser().parse(lines.get(1));
            var in = DecoderFactory.get().binaryDecoder(HexFormat.of().parseHex(lines.get(2)), null);
            Object value = new GenericDatumReader<>(writer, reader, data).read(null, in);
            System.out.println("Java " + Path.of(name).getFileName() + ": " + value);
        }
    }
}
JAVA
cd "$WORK/values"
says "Java scale-2-to-4: 0.1234
Java millis-to-micros: 1970-01-21T10:55:23.045Z
Java long-to-millis: 2026-01-02T03:04:05Z
Java millis-to-long: 1767323045000" \
    java -XX:TieredStopAtLevel=1 -cp "$WORK/jars/*" "$WORK/Read.java" scale-2-to-4 millis-to-micros long-to-millis millis-to-long
