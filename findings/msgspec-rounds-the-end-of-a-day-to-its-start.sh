#!/usr/bin/env bash
# msgspec 0.23.0 rounds a time with more than six places of a second to the nearest microsecond, and a time of day
# wraps: 23:59:59.999999999, Java's LocalTime.MAX and a usual end of a day there, is decoded as 00:00, the day's start.
# A datetime of that kind moves to the next day, and on 31 December to the next year. pydantic 2.14.4 and Python's own
# fromisoformat() (3.11) cut instead, and stay on the day. So a service that reads by msgspec takes a whole day for an
# empty one, and puts records into another partition by day than one that reads by pydantic.
. "$(dirname "$0")/support/common.sh"
python_with msgspec==0.23.0 pydantic==2.14.4
python_says "$(cat <<'SEEN'
msgspec: 00:00:00, 2027-01-01 00:00:00+00:00
pydantic: 23:59:59.999999, 2026-12-31 23:59:59.999999+00:00
Python: 23:59:59.999999, 2026-12-31 23:59:59.999999+00:00
SEEN
)" <<'PY'
from datetime import datetime, time

import msgspec
import pydantic

TEXTS = {time: "23:59:59.999999999", datetime: "2026-12-31T23:59:59.999999999Z"}
READERS = {
    "msgspec": lambda kind, text: msgspec.json.decode(f'"{text}"', type=kind),
    "pydantic": lambda kind, text: pydantic.TypeAdapter(kind).validate_python(text),
    "Python": lambda kind, text: kind.fromisoformat(text),
}
for name, read in READERS.items():
    print(f"{name}: {', '.join(str(read(kind, text)) for kind, text in TEXTS.items())}")
PY
