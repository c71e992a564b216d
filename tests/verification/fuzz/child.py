"""Running one decoder: ``python -m tests.verification.fuzz.child DECODER ENGINE SECONDS SEED FOLDER``.

It ends with the time, or with the first finding, whose traceback it leaves in the folder. Inputs come from atheris,
which looks at the code they reach, or from our own mutator, which keeps those that are answered in words not heard
before. The memory it may take is limited, so that an input which makes a decoder take more ends in ``MemoryError``;
so is the processor time that each input may take (``tests/verification/fuzz/effort.py``).
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.verification.fuzz.mutation import mutate
from tests.verification.fuzz.watch import Slate

if TYPE_CHECKING:
    from tests.verification.fuzz.decoders import Decoder

FINDING, SLATE = "finding.txt", "slate"
MEMORY_LIMIT_BYTES = 512 << 20  # above what the process has when it begins
INSTRUMENTED = [
    "kafka_nextgen.wire",
    "kafka_nextgen.requests",
    "kafka_nextgen.testing.messages",
    "kafka_nextgen.groups.consumer_protocol",
    "kafka_nextgen.transport",
]


def main() -> None:
    name, engine, seconds, seed, folder = sys.argv[1:]
    {"atheris": with_atheris, "mutator": with_mutator}[engine](name, float(seconds), int(seed), Path(folder))


def with_mutator(name: str, seconds: float, seed: int, folder: Path) -> None:
    """Mutate seeds, and inputs whose answer was new, until the time is over."""
    from tests.verification.fuzz.decoders import find

    decoder = find(name)
    random, pool, heard = Random(seed), list(decoder.seeds()), set()
    try_one = _watched(decoder, folder)
    _limit_memory()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        data = mutate(random, random.choice(pool), pool, decoder.most_bytes)
        answer = _answer_to(try_one, data)
        if answer not in heard:
            heard.add(answer)
            pool.append(data)


def with_atheris(name: str, seconds: float, seed: int, folder: Path) -> None:
    """Let libFuzzer look for inputs that reach new code."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from tests.verification.fuzz.decoders import find

        decoder = find(name)
    seeds = folder / "seeds"
    seeds.mkdir(exist_ok=True)
    for number, data in enumerate(decoder.seeds()):
        (seeds / str(number)).write_bytes(data)
    options = {
        "max_total_time": max(1, int(seconds)),
        "seed": seed,
        "max_len": decoder.most_bytes,
        "rss_limit_mb": 0,  # ours is the limit
        "timeout": 86_400,  # whoever watches ends what hangs; 0 would be one second
        "verbosity": 0,
        "artifact_prefix": f"{folder}/",
    }
    arguments = [f"-{name}={value}" for name, value in options.items()]
    try_one = _watched(decoder, folder)
    atheris.Setup([name, *arguments, str(seeds)], try_one)
    _limit_memory()
    atheris.Fuzz()


def _watched(decoder: Decoder, folder: Path) -> Callable[[bytes], None]:
    from tests.verification.fuzz.effort import Effort

    slate, run = Slate(folder / SLATE), Effort(decoder).run

    def try_one(data: bytes) -> None:
        slate.begin(data)
        try:
            run(data)
        except BaseException:
            (folder / FINDING).write_text(traceback.format_exc())
            raise

    return try_one


def _answer_to(try_one: Callable[[bytes], None], data: bytes) -> str:
    """What a decoder says to an input, without the numbers in it."""
    from tests.verification.fuzz.decoders.decoder import last_refusal

    try_one(data)
    return re.sub(r"\d+", "#", str(last_refusal()))


def _limit_memory() -> None:
    if "asan" in os.environ.get("LD_PRELOAD", ""):
        return  # it needs terabytes of addresses
    with contextlib.suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY_LIMIT_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    main()
