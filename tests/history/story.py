"""Events as lines that people read.

``TIME SOURCE KIND [MEMBER] [@EPOCH] [TOPIC[PARTITIONS]] [NAME=VALUE ...]``, times in seconds, ``_`` for a space:

    1.5 consumer:a assigned A @3 orders[0-2,5]
    2.0 coordinator:1 group_epoch B @4 cause=member_left
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from kafka_nextgen.history.events import Event, EventKind

_PARTITIONS = re.compile(r"([\w-]+)\[([\d,-]*)\]")
_NUMBERS = frozenset({"offset", "start", "end", "ms"})


def story(text: str, cluster: str = "c", group: str = "g") -> list[Event]:
    """The events in these lines; ``seq`` counts those of each source."""
    counts: Counter[str] = Counter()
    events = []
    for line in filter(str.strip, text.splitlines()):
        at, source, kind, *rest = line.split()
        counts[source] += 1
        fields = _fields(rest)
        made = Event(
            round(float(at) * 1000), counts[source], source, cluster, group, EventKind(_spaced(kind)), **fields
        )
        events.append(made)
    return events


def _fields(words: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for word in words:
        found = _PARTITIONS.fullmatch(word)
        name, is_pair, value = word.partition("=")
        if found:
            fields["topic"], fields["partitions"] = found[1], _numbers(found[2])
        elif is_pair:
            fields[name] = int(value) if name in _NUMBERS else _spaced(value)
        elif word.startswith("@"):
            fields["epoch"] = int(word[1:])
        else:
            fields["member"] = word
    return fields


def _numbers(text: str) -> tuple[int, ...]:
    ranges = [part.split("-") for part in text.split(",") if part]
    return tuple(each for ends in ranges for each in range(int(ends[0]), int(ends[-1]) + 1))


def _spaced(word: str) -> str:
    return word.replace("_", " ")
