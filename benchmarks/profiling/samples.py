"""What a thread was doing in each sample, told by the functions that it was in.

py-spy looks at all threads so many times a second, also at those that wait, and gives every stack with the functions of
C as well. A sample is told by the first of the rules below that fits, which look at the stack from its end: what waits,
then what works outside of the interpreter, then Python.

* GIL: a thread that has something to do in Python and waits for its turn. CPython waits for it by a condition variable;
  the locks of ``threading`` are semaphores.
* waiting: for the broker (the event loop has nothing to do), or for another thread.
* the rest is work: at the socket (the kernel's copying included), decompression, checksum, memory (getting it from
  libc, giving it back, and filling it with zeros), copying (what the decoder has libc do, which has no names for it),
  decoding, Arrow, objects made in C with what is copied into them, and what runs in the interpreter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from benchmarks.page import table

__all__ = [
    "BUSY",
    "CALLING_FILES",
    "DECODER_FILES",
    "IDLE",
    "Profile",
    "profile_of",
    "profile_table",
    "profiles_table",
    "stacks_of",
    "told",
]

#: What is work, in the order of the page.
BUSY = ("socket", "decompression", "CRC", "memory", "copying", "decoding", "Arrow", "objects", "Python")

IDLE = ("waiting for the GIL", "waiting for the broker", "waiting for another thread")

#: What Python calls the thread that a process begins with.
MAIN = "MainThread"

#: Threads that did less than this share of their time are left out of the table.
LEAST_BUSY = 0.02

#: The files of the extension that make columns of bytes, or requests.
DECODER_FILES = (
    "answer_fields",
    "batch",
    "buffers",
    "column_objects",
    "columns",
    "crc32c",
    "decode",
    "find",
    "gil",
    "memory",
    "record",
    "scan",
    "steady_answer",
    "steady_fetch",
    "steady_places",
    "steady_request",
)

#: Those that call what they are given, which is what counts. All the others make objects of columns.
CALLING_FILES = ("awaited", "iteration")

_C_DECODER = rf"accelerator/({'|'.join(DECODER_FILES)})\.h"
_C_CALLING = rf"accelerator/({'|'.join(CALLING_FILES)})\.h"
_DECODER = rf"{_C_DECODER}|wire/records/(accelerated|batch|compression|decode|columns|joint_decompression|stated_size)"
_LIBC = r"[^<]*libc\.[^<]*"


@frozen
class Rule:
    """``what`` it is, if ``pattern`` matches the innermost ``depth`` functions, the innermost one first."""

    what: str
    pattern: re.Pattern[str]
    depth: int = 8

    def fits(self, stack: Sequence[str]) -> bool:
        return self.pattern.search(" < ".join(reversed(stack[-self.depth :]))) is not None


RULES: Sequence[Rule] = (
    Rule("waiting for the GIL", re.compile(r"pthread_cond_(timed|clock)?wait|take_gil"), 4),
    Rule("waiting for the broker", re.compile(r"epoll_wait|select_epoll_poll|\b(poll|select) \(libc"), 5),
    Rule(
        "waiting for another thread",
        re.compile(r"PyThread_acquire_lock_timed|sem_(timed|clock)?wait"),
        5,
    ),
    Rule("decompression", re.compile(r"cramjam|lz4_|zstd|snappy|inflate", re.IGNORECASE)),
    Rule("CRC", re.compile(r"crc32c|crc_", re.IGNORECASE)),
    Rule("socket", re.compile(r"accelerator/receive\.h")),
    Rule("objects", re.compile(rf"(?!{_C_DECODER}|{_C_CALLING})accelerator/|make_records \(")),
    Rule("memory", re.compile(rf"^({_LIBC} < )*(malloc|calloc|realloc|free|mmap|munmap|madvise) \({_LIBC}")),
    Rule("memory", re.compile(rf"^{_LIBC} < (take|_is_free) \([^<]*frame_reader")),
    Rule("copying", re.compile(rf"^{_LIBC} < [^<]*({_DECODER}|frame_reader)")),
    Rule("copying", re.compile(r"^[^<]*mem(cpy|move|set)")),
    Rule("decoding", re.compile(_DECODER)),
    Rule("Arrow", re.compile(r"libarrow|pyarrow|application/arrow")),
    Rule("socket", re.compile(r"sock_(recv|send)|\b(recv|send|sendmsg|recvfrom) \(libc")),
)


@frozen
class Profile:
    """Samples by thread and by what the thread did."""

    samples: Mapping[str, Counter[str]]

    def share_of_time(self, thread: str, what: str) -> float:
        """How much of a thread's time went into it."""
        return self.samples[thread][what] / self.samples[thread].total()

    def share_of_work(self, what: str) -> float:
        """How much of what all threads worked went into it."""
        done = sum(self.samples.values(), Counter[str]())
        return done[what] / max(1, sum(done[each] for each in BUSY))


def told(stack: Sequence[str]) -> str:
    """What a thread with this stack, outermost function first, was doing."""
    return next((rule.what for rule in RULES if rule.fits(stack)), "Python")


def profile_of(lines: Iterable[str], counted: Sequence[str]) -> Profile:
    """Read py-spy's raw format, ``thread (id): name;function;function count``.

    Of the main thread only what was inside one of the functions ``counted``.
    """
    samples: dict[str, Counter[str]] = {}
    for thread, stack, count in stacks_of(lines, counted):
        samples.setdefault(thread, Counter())[told(stack)] += count
    return Profile(samples)


def stacks_of(lines: Iterable[str], counted: Sequence[str]) -> Iterator[tuple[str, Sequence[str], int]]:
    """Yield the thread, its stack, outermost function first, and how many samples, as ``profile_of`` reads them."""
    for line in lines:
        text, count = line.rsplit(" ", 1)
        thread, *stack = text.split(";")
        name = thread.partition(": ")[2] or MAIN
        if name != MAIN or any(frame.startswith(tuple(counted)) for frame in stack):
            yield name, stack, int(count)


def profiles_table(profiles: Mapping[str, Profile]) -> str:
    """A column for each profile: how all work is shared out, and how long its threads wait for the GIL."""
    shares = {what: [f"{profile.share_of_work(what):.0%}" for profile in profiles.values()] for what in BUSY}
    rows = [(what, *cells) for what, cells in shares.items() if set(cells) != {"0%"}]
    for called, is_it in (("application's thread", MAIN.__eq__), ("I/O thread", _is_io_thread)):
        waits = (_waits_for_the_gil(profile, is_it) for profile in profiles.values())
        rows.append((f"{called} waits for the GIL", *waits))
    return table(("share of all work; of the thread's time", *profiles), rows)


def _waits_for_the_gil(profile: Profile, is_it: Callable[[str], bool]) -> str:
    return next((f"{profile.share_of_time(each, IDLE[0]):.0%}" for each in profile.samples if is_it(each)), "")


def _is_io_thread(thread: str) -> bool:
    return thread.startswith("kafka_nextgen ")


def profile_table(profile: Profile) -> str:
    """A column for each thread, of its time; and how all work is shared out."""
    threads = [name for name in sorted(profile.samples) if _work_of(profile, name) >= LEAST_BUSY]
    rows = [
        (
            what,
            *(f"{profile.share_of_time(thread, what):.0%}" for thread in threads),
            f"{profile.share_of_work(what):.0%}" if what in BUSY else "",
        )
        for what in (*BUSY, *IDLE)
    ]
    return table(("what", *(_called(thread) for thread in threads), "of all work"), rows)


def _work_of(profile: Profile, thread: str) -> float:
    return sum(profile.share_of_time(thread, what) for what in BUSY)


def _called(thread: str) -> str:
    return "application's thread" if thread == MAIN else thread
