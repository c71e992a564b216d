"""Kafka's own commands and clients, from its jars."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from kafka_nextgen.testing.real_kafka.maven import find_java
from tests.support.kafka_from_maven import QUICK_START, class_options, fetch_jars
from tests.support.waiting import GUARD_S

CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
CONSUMER_GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
VERIFIABLE_CONSUMER = "org.apache.kafka.tools.VerifiableConsumer"


class JavaTools:
    def __init__(self, java: str, jars: Path, options: Sequence[str]) -> None:
        quick = ("-Xmx256m", *QUICK_START.split(), *options)
        self._command = (java, *quick, "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", str(jars / "*"))

    def start(self, tool: str, *args: str) -> subprocess.Popen[str]:
        command = (*self._command, tool, *args)
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, tool: str, *args: str) -> str:
        """Run a class to its end and return what it prints; fail if that is not a success."""
        return output_of(self.start(tool, *args))


def output_of(process: subprocess.Popen[str]) -> str:
    """Wait for the end of ``process``, which is to be a success, and return what it printed."""
    try:
        printed, complaints = process.communicate(timeout=GUARD_S)
    finally:
        process.kill()
    assert process.returncode == 0, f"{process.args} ended with {process.returncode}:\n{printed}\n{complaints}"
    return printed


def find_java_tools(version: str) -> JavaTools:
    """Return the tools of Kafka ``version``; ``NoKafkaError`` if Java or the jars are missing."""
    java, jars = find_java(), fetch_jars(version)
    return JavaTools(java, jars, class_options(java, jars, version))
