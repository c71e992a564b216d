"""Apache Kafka from Maven Central, run by the Java of this machine (17 or newer).

Maven copies the jars into the user's cache once. The broker has little memory and keeps its data in a temporary folder;
it is killed at the end, even if the tests are killed. ``KAFKA_HEAP_OPTS`` says how much memory it may have, as for
Kafka's own scripts.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from kafka_nextgen.testing.real_kafka.guardian import end, run_guarded
from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError, on_free_ports, properties_of, wait_until_ready

__all__ = ["find_java", "run_from_maven"]

_OLDEST_JAVA = 17
_CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qk"
_LOG_LINES = 40
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>kafka-nextgen</groupId><artifactId>jars</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{version}</version>
    </dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
"""
#: For processes that are too short-lived for the optimizing JIT compiler to pay off.
_QUICK_START = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"]


def run_from_maven(version: str, config: Mapping[str, str]) -> tuple[str, Callable[[], None]]:
    """Run a broker of this version; return its address, and a function that kills it and removes its data.

    Raises NoKafkaError if Java, Maven or the jars are missing, or Kafka does not start.
    """
    java, jars = find_java(), _fetch_jars(version)
    return on_free_ports(2, lambda ports: _run(java, jars, version, config, *ports))


def _run(
    java: str, jars: Path, version: str, config: Mapping[str, str], port: int, controller_port: int
) -> tuple[str, Callable[[], None]]:
    home = Path(tempfile.mkdtemp(prefix=f"kafka-{version}-"))
    properties = properties_of(
        version,
        config,
        bind="127.0.0.1",
        port=port,
        controller_port=controller_port,
        log_dir=(home / "data").as_posix(),
    )
    (home / "server.properties").write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
    try:
        process = _start(java, jars, home)
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise

    def stop() -> None:
        end(process)
        shutil.rmtree(home, ignore_errors=True)

    try:
        wait_until_ready(port, lambda: process.poll() is None, lambda: _log_tail(home))
    except BaseException:
        stop()
        raise
    return f"127.0.0.1:{port}", stop


def _start(java: str, jars: Path, home: Path) -> subprocess.Popen[bytes]:
    heap = os.environ.get("KAFKA_HEAP_OPTS", "-Xmx512m").split()
    quiet = ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", str(jars / "*")]
    command = [java, *heap, *_QUICK_START, *quiet]
    properties = str(home / "server.properties")
    storage = [*command, "kafka.tools.StorageTool", "format", "-t", _CLUSTER_ID, "-c", properties]
    with (home / "log").open("wb") as log:
        if subprocess.run(storage, stdout=log, stderr=subprocess.STDOUT, check=False).returncode != 0:
            raise NoKafkaError(f"the storage of Kafka could not be formatted:\n{_log_tail(home)}")
        return run_guarded([*command, "kafka.Kafka", properties], str(home), log)


def _log_tail(home: Path) -> str:
    return "\n".join((home / "log").read_text(errors="replace").splitlines()[-_LOG_LINES:])


def find_java() -> str:
    """Return the command of a Java that Kafka runs on. Raises NoKafkaError if there is none."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    if java is None:
        raise NoKafkaError(f"there is no java on PATH or in JAVA_HOME; install Java {_OLDEST_JAVA} or newer")
    banner = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', banner)
    if found is None or int(found[1]) < _OLDEST_JAVA:
        raise NoKafkaError(f"{java} is not Java {_OLDEST_JAVA} or newer")
    return java


def _fetch_jars(version: str) -> Path:
    """Return the folder with the jars, which Maven fills if it is missing.

    It is filled under another name and then renamed, so no other run sees half of it.
    """
    jars = _cache_dir() / f"kafka-{version}"
    if jars.is_dir():
        return jars
    jars.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=jars.parent, prefix=f".{jars.name}-") as scratch:
        pom = Path(scratch) / "pom.xml"
        pom.write_text(_POM.format(version=version))
        _maven(["dependency:copy-dependencies", f"-DoutputDirectory={Path(scratch) / 'jars'}"], Path(scratch), version)
        with suppress(OSError):  # another run was quicker
            (Path(scratch) / "jars").rename(jars)
    return jars


def _maven(arguments: Sequence[str], folder: Path, version: str) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise NoKafkaError(f"there is no mvn on PATH to fetch Kafka {version}; install Maven")
    done = subprocess.run(
        [maven, "-B", "-q", *arguments, "-DincludeScope=runtime"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise NoKafkaError(f"Maven could not fetch Kafka {version}:\n{done.stdout[-2000:]}{done.stderr[-1000:]}")


def _cache_dir() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "kafka-nextgen"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/kafka-nextgen"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kafka-nextgen"
