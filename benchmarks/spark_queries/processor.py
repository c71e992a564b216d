"""What processors did for this process and all it started, the broker and Spark's processes included.

A process that has ended counts if its parent has waited for it. On Linux only: it is read from /proc, see proc(5).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["cpu_s"]

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")

#: Fields of /proc/<pid>/stat after the command's name, which may have spaces in it: the parent, and the times in user
#: and system, its own and those of the children it waited for.
_PARENT, _TIMES = 1, slice(11, 15)


def cpu_s() -> float:
    """Processor seconds in user and system, of all threads, since these processes began."""
    stats = dict(_stats())
    ours = {os.getpid()}
    while more := {pid for pid, fields in stats.items() if int(fields[_PARENT]) in ours} - ours:
        ours |= more
    return sum(int(ticks) for pid in ours for ticks in stats[pid][_TIMES]) / _TICKS_PER_S


def _stats() -> Iterator[tuple[int, list[str]]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                text = (folder / "stat").read_text()
            except OSError:  # it has ended meanwhile
                continue
            yield int(folder.name), text.rpartition(")")[2].split()
