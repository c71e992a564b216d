"""Apache Kafka from Maven Central, run by the Java of this machine (17 or newer).

The broker keeps everything in a temporary directory and is killed at the end: its data is not needed. It has little
memory, for there may be many of them, unless ``KAFKA_HEAP_OPTS`` says otherwise, which Kafka's own scripts heed, too,
as they do ``KAFKA_JVM_PERFORMANCE_OPTS``. Its classes come from an archive, if there is one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from attrs import define

from kafka_nextgen.testing.real_kafka.maven import find_java
from kafka_nextgen.testing.real_kafka.single_node import on_free_ports
from tests.support.class_archives import archive_options
from tests.support.guardian import run_folder
from tests.support.kafka_properties import as_file, single_node
from tests.support.kafka_readiness import wait_until_coordinating, wait_until_ready
from tests.support.kafka_server import KafkaServer, KafkaStartError
from tests.support.maven_jars import Artifact, fetch_artifacts
from tests.support.waiting import GUARD_S

CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qk"
LOG_LINES_SHOWN = 40
SMALL_HEAP = "-Xmx512m"
#: Of what ends before a better compiler pays.
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"

_GROUP = "org.apache.kafka"


def _artifacts(version: str) -> Sequence[Artifact]:
    """The broker, its own clients and commands, which are run against it here, and what it needs to log anything."""
    return (
        Artifact(_GROUP, "kafka_2.13", version),
        Artifact(_GROUP, "kafka-tools", version),
        Artifact("org.slf4j", "slf4j-simple", "1.7.36"),
    )


@define
class Node:
    """A process of Kafka and the folder of its files; ``stop`` ends both. ``more_ports`` are those of ``run_node``."""

    bootstrap_servers: str
    home: Path
    process: subprocess.Popen[bytes] | None = None
    more_ports: Sequence[int] = ()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def start(self, java: str, jars: Path, properties: Mapping[str, str], options: Sequence[str]) -> None:
        config = self.home / "server.properties"
        config.write_text(as_file(properties))
        self.process = start_node(java, jars, config, self.home / "log", options)

    def wait_until_ready(self) -> None:
        wait_until_ready(
            self.bootstrap_servers,
            is_alive=lambda: self.process is not None and self.process.poll() is None,
            log_tail=lambda: log_tail_of(self.home / "log"),
        )


def run_node(
    version: str,
    add: Callable[[Node, Mapping[str, str]], Mapping[str, str]] = lambda node, plain: {},
    options: Sequence[str] | None = None,
    more_ports: int = 0,
) -> Node:
    """Start a broker of ``version`` that is its own controller, and return once it answers.

    ``add`` is given the node, with so many ``more_ports``, and its properties, and returns others. ``options`` of Java
    take the place of those for an archive of classes. ``NoKafkaError`` if Java or the jars are missing.
    """
    java, jars = find_java(), fetch_jars(version)
    options = class_options(java, jars, version) if options is None else options

    def start(ports: Sequence[int]) -> Node:
        port, controller_port, *rest = ports
        node = Node(f"127.0.0.1:{port}", Path(tempfile.mkdtemp(prefix=f"kafka-{version}-")), more_ports=rest)
        place = (node.home / "data").as_posix()
        plain = single_node(version, bind="127.0.0.1", port=port, controller_port=controller_port, log_dir=place)
        try:
            node.start(java, jars, {**plain, **add(node, plain)}, options)
            node.wait_until_ready()
        except BaseException:
            node.stop()
            raise
        return node

    return on_free_ports(2 + more_ports, start)


def start_from_maven(version: str) -> KafkaServer:
    """Start a broker of ``version``; ``NoKafkaError`` if Java or the jars are missing."""
    node = run_node(version)
    return KafkaServer(node.bootstrap_servers, version, node.stop)


def class_options(java: str, jars: Path, version: str) -> Sequence[str]:
    """Return the options by which a Java program of Kafka ``version`` has its classes from an archive."""
    return archive_options(f"kafka-{version}", java, jars, partial(_train, version))


def _train(version: str, option: str) -> None:
    """Run a broker with this option until it coordinates a group, and end it by a signal."""
    node = run_node(version, options=[option])
    try:
        wait_until_coordinating(node.bootstrap_servers)
        node.process.terminate()
        node.process.wait(GUARD_S)
    finally:
        node.stop()


def start_node(java: str, jars: Path, config: Path, log: Path, options: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Format the storage of a node with these properties and run it with more options of Java.

    ``KafkaStartError`` if that can't be done.
    """
    heap = os.environ.get("KAFKA_HEAP_OPTS", SMALL_HEAP).split()
    given = os.environ.get("KAFKA_JVM_PERFORMANCE_OPTS", "").split()
    files = f"-Djava.io.tmpdir={run_folder()}"
    quiet = [files, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", str(jars / "*")]
    mapped = [option for option in options if "ArchiveClassesAtExit" not in option]
    tool = [*mapped, *quiet, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID]
    storage = [java, SMALL_HEAP, *QUICK_START.split(), *tool]
    with log.open("wb") as output:
        formatted = subprocess.run([*storage, "-c", str(config)], stdout=output, stderr=subprocess.STDOUT, check=False)
        if formatted.returncode != 0:
            raise KafkaStartError(f"Kafka's storage could not be formatted:\n{log_tail_of(log)}")
        broker = [java, *heap, *given, *options, *quiet, "kafka.Kafka", str(config)]
        return subprocess.Popen(broker, stdout=output, stderr=subprocess.STDOUT)


def log_tail_of(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:])


def fetch_jars(version: str) -> Path:
    """Return the directory that holds Kafka's jars of ``version``, fetched by Maven if it is not there yet."""
    return fetch_artifacts(f"{version}-and-tools", _artifacts(version))
