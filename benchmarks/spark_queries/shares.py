"""What the Python processes of a query work at, told by py-spy's samples of threads that work.

Spark starts a process for ``load()`` and one that plans the query, and keeps workers that read. Each sample belongs to
the first part of ``PARTS`` whose pattern is found in its stack.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from benchmarks.page import table

__all__ = ["LOADING", "PARTS", "PLANNING", "WORKER", "part_of", "shares_of", "shares_table"]

LOADING, PLANNING, WORKER = "load()", "planning", "worker"

#: What a process is for, by its command line.
_PROCESSES = {
    re.compile(r"create_data_source|lookup_data_sources"): LOADING,
    re.compile(r"plan_data_source_read"): PLANNING,
    re.compile(r"pyspark\.daemon"): WORKER,
}

_OURS = r"kafka_nextgen/(\w+/)*\w+\.py"
_OUR_IMPORTS = ("importing kafka_nextgen", re.compile(_OURS + r"[^;]*;(.*;)?[^;]*importlib\._bootstrap"))
_IMPORTS = ("importing the rest", re.compile(r"importlib\._bootstrap"))

#: The parts of each process's work, and what is found in the stack, outermost function first.
PARTS: Mapping[str, Sequence[tuple[str, re.Pattern[str]]]] = {
    LOADING: (_OUR_IMPORTS, _IMPORTS, ("the rest", re.compile(""))),
    PLANNING: (
        _OUR_IMPORTS,
        _IMPORTS,
        ("asking Kafka", re.compile(r"kafka_nextgen/spark/(batch_planner|cluster)|thread [^;]*kafka_nextgen")),
        ("the rest", re.compile("")),
    ),
    WORKER: (
        ("fetching and decoding", re.compile(r"thread [^;]*kafka[-_]nextgen")),
        _OUR_IMPORTS,
        _IMPORTS,
        ("making Arrow of records", re.compile(r"to_arrow|application/arrow")),
        ("reading, the rest", re.compile(_OURS)),
        ("giving Arrow to Java", re.compile(r"dump_stream|serializers\.py")),
        ("the rest", re.compile("")),
    ),
}

Part = tuple[str, str]


def shares_of(lines: Iterable[str]) -> Counter[Part]:
    """Read py-spy's raw format, and count samples by process and part."""
    samples: Counter[Part] = Counter()
    for line in lines:
        stack, count = line.rsplit(" ", 1)
        part = part_of(stack)
        if part is not None:
            samples[part] += int(count)
    return samples


def part_of(stack: str) -> Part | None:
    """The process and the part that a stack belongs to; None if it is of neither of these processes.

    In front of the functions are the processes, outermost first, and the thread.
    """
    commands = re.findall(r'process \d+:"([^"]*)"', stack)
    command = commands[-1] if commands else ""
    for pattern, process in _PROCESSES.items():
        if pattern.search(command):
            functions = stack.rpartition('";')[2]
            return process, next(name for name, found in PARTS[process] if found.search(functions))
    return None


def shares_table(found: Mapping[str, Counter[Part]], times: int, hz: int) -> str:
    """A row for each part, a column for each source: milliseconds of work in a query, of which there were ``times``."""
    rows = []
    for process, parts in PARTS.items():
        for name, _ in parts:
            counts = [samples[process, name] for samples in found.values()]
            rows.append((f"{process}: {name}", *(f"{count * 1000 / hz / times:.0f}" for count in counts)))
    totals = (f"{samples.total() * 1000 / hz / times:.0f}" for samples in found.values())
    return table(("work of Python processes, ms of a query", *found), [*rows, ("all", *totals)])
