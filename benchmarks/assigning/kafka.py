"""Kafka's assignors in a Java process of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import TracebackType

from benchmarks.assigning.groups import Result, Shape

__all__ = ["KafkaAssignors"]

SOURCE = Path(__file__).with_name("KafkaAssignors.java")


class KafkaAssignors:
    """The process, as long as the context lasts; ``version`` is Kafka's, fetched as the tests do."""

    def __init__(self, version: str) -> None:
        from kafka_nextgen.testing.real_kafka.maven import find_java
        from tests.support.kafka_from_maven import fetch_jars

        command = [find_java(), "-Xmx1g", "-cp", str(fetch_jars(version) / "*"), str(SOURCE)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def __enter__(self) -> KafkaAssignors:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)

    def make_group(self, shape: Shape) -> None:
        words = (shape.assignor, shape.members, shape.topics, shape.partitions, shape.subscriptions, shape.change)
        self._ask("group", *words)

    def warm_up(self, seconds: float) -> None:
        """Assign the group over and over, so that the JIT compiler has done its work."""
        self._ask("warm", seconds)

    def assign(self) -> float:
        """Assign it once; return the seconds that its thread ran."""
        return int(self._ask("assign")) / 1e9

    def result(self) -> Result:
        fewest, most, moved = map(int, self._ask("result").split())
        return Result(fewest, most, moved)

    def _ask(self, *words: object) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{SOURCE.name} ended by itself, with exit code {self._process.wait(timeout=60)}")
        return answer.strip()
