"""Apache Kafka from Maven Central, run by the Java of this machine (17 or newer).

Maven copies the jars of one version into a directory of the user's cache. They are fetched beside it and moved
there by one rename, so nobody sees half-done work; processes that want them at the same time take turns. The
broker itself keeps everything in a temporary directory and is killed at the end: nobody needs its data. It has little
memory, for there may be many of them, unless ``KAFKA_HEAP_OPTS`` says otherwise, which Kafka's own scripts heed, too.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from filelock import FileLock

from tests.support.kafka_properties import as_file, free_ports, single_node
from tests.support.kafka_readiness import wait_until_ready
from tests.support.kafka_server import KafkaServer, KafkaStartError, NoKafkaError

__all__ = ["fetch_jars", "find_java", "log_tail_of", "start_from_maven", "start_node"]

OLDEST_JAVA = 17
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qk"
LOG_LINES_SHOWN = 40
SMALL_HEAP = "-Xmx512m"

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tests</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{version}</version>
    </dependency>
    <dependency><!-- its own clients and commands, which are run against the broker here -->
      <groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>{version}</version>
    </dependency>
    <dependency><!-- without it the broker logs nothing -->
      <groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
"""


def start_from_maven(version: str) -> KafkaServer:
    """Start a broker of ``version``; ``NoKafkaError`` if Java or the jars are missing."""
    java = find_java()
    jars = fetch_jars(version)
    home = Path(tempfile.mkdtemp(prefix=f"kafka-{version}-"))
    port, controller_port = free_ports(2)
    config = home / "server.properties"
    config.write_text(
        as_file(
            single_node(
                version,
                bind="127.0.0.1",
                advertised="127.0.0.1",
                port=port,
                controller_port=controller_port,
                log_dir=(home / "data").as_posix(),
            )
        )
    )
    try:
        process = start_node(java, jars, config, home / "log")
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise
    return _running(f"127.0.0.1:{port}", version, process, home)


def _running(bootstrap_servers: str, version: str, process: subprocess.Popen[bytes], home: Path) -> KafkaServer:
    def stop() -> None:
        process.kill()
        process.wait()
        shutil.rmtree(home, ignore_errors=True)

    try:
        wait_until_ready(
            bootstrap_servers,
            timeout_s=90,
            is_alive=lambda: process.poll() is None,
            log_tail=lambda: log_tail_of(home / "log"),
        )
    except BaseException:
        stop()
        raise
    return KafkaServer(bootstrap_servers, version, stop)


def start_node(java: str, jars: Path, config: Path, log: Path) -> subprocess.Popen[bytes]:
    """Format the storage of a node with these properties and run it; ``KafkaStartError`` if that can't be done."""
    options = " ".join(
        [os.environ.get("KAFKA_HEAP_OPTS", SMALL_HEAP), os.environ.get("KAFKA_JVM_PERFORMANCE_OPTS", "")]
    )
    command = [java, *options.split(), "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", str(jars / "*")]
    with log.open("wb") as output:
        storage = [*command, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(config)]
        if subprocess.run(storage, stdout=output, stderr=subprocess.STDOUT, check=False).returncode != 0:
            raise KafkaStartError(f"Kafka's storage could not be formatted:\n{log_tail_of(log)}")
        return subprocess.Popen([*command, "kafka.Kafka", str(config)], stdout=output, stderr=subprocess.STDOUT)


def log_tail_of(log: Path) -> str:
    """Return the last lines of a broker's log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:])


def find_java() -> str:
    """Return the command of a Java that Kafka runs on; ``NoKafkaError`` if there is none."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    if java is None:
        raise NoKafkaError("no java on PATH or in JAVA_HOME")
    banner = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', banner)
    if found is None or int(found[1]) < OLDEST_JAVA:
        raise NoKafkaError(f"{java} is not Java {OLDEST_JAVA} or newer")
    return java


def fetch_jars(version: str) -> Path:
    """Return the directory that holds Kafka's jars of ``version``, fetched by Maven if it is not there yet."""
    jars = _cache_dir() / f"{version}-and-tools"
    if jars.is_dir():
        return jars
    maven = shutil.which("mvn")
    if maven is None:
        raise NoKafkaError("no mvn on PATH to fetch Kafka's jars")
    jars.parent.mkdir(parents=True, exist_ok=True)
    with (
        FileLock(jars.parent / ".lock"),
        tempfile.TemporaryDirectory(dir=jars.parent, prefix=f".{version}-") as scratch,
    ):
        if not jars.is_dir():  # another process was quicker
            _copy_dependencies(maven, version, Path(scratch))
            (Path(scratch) / "jars").rename(jars)
    return jars


def _copy_dependencies(maven: str, version: str, scratch: Path) -> None:
    (scratch / "pom.xml").write_text(POM.format(version=version))
    command = [maven, "-B", "-q", "dependency:copy-dependencies", "-DincludeScope=runtime"]
    command.append(f"-DoutputDirectory={scratch / 'jars'}")
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=240, check=False)
    if done.returncode != 0:
        raise NoKafkaError(f"Maven could not fetch Kafka {version}:\n{done.stdout[-2000:]}{done.stderr[-1000:]}")


def _cache_dir() -> Path:
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library/Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "kafka-nextgen-tests"
