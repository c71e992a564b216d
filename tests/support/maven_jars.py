"""Jars from Maven Central, in a directory of the user's cache.

Maven copies them into a directory beside it, which one rename then moves there, so no half-done work is ever seen.
Processes that want the same jars at the same time take turns.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen
from filelock import FileLock

from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.support.waiting import TEST_S

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tests</groupId><artifactId>jars</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>{dependencies}
  </dependencies>
</project>
"""
_ALONE = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"


@frozen
class Artifact:
    """One artifact of a Maven repository, fetched with all it depends on unless it is fetched ``alone``."""

    group: str
    name: str
    version: str
    alone: bool = False

    @property
    def dependency(self) -> str:
        place = f"<groupId>{self.group}</groupId><artifactId>{self.name}</artifactId><version>{self.version}</version>"
        return f"\n    <dependency>{place}{_ALONE if self.alone else ''}</dependency>"


def fetch_artifacts(name: str, artifacts: Sequence[Artifact]) -> Path:
    """Return the directory ``name`` of the cache, which Maven fills with the jars if it is not there yet.

    Raises ``NoKafkaError`` if Maven is missing or fails.
    """
    jars = cache_dir() / name
    if jars.is_dir():
        return jars
    maven = shutil.which("mvn")
    if maven is None:
        raise NoKafkaError(f"no mvn on PATH to fetch the jars of {name}")
    jars.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(jars.parent / ".lock"), tempfile.TemporaryDirectory(dir=jars.parent, prefix=f".{name}-") as scratch:
        if not jars.is_dir():  # another process was quicker
            _copy_dependencies(maven, artifacts, Path(scratch))
            (Path(scratch) / "jars").rename(jars)
    return jars


def _copy_dependencies(maven: str, artifacts: Sequence[Artifact], scratch: Path) -> None:
    (scratch / "pom.xml").write_text(_POM.format(dependencies="".join(each.dependency for each in artifacts)))
    command = [maven, "-B", "-q", "dependency:copy-dependencies", "-DincludeScope=runtime"]
    command.append(f"-DoutputDirectory={scratch / 'jars'}")
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=TEST_S, check=False)
    if done.returncode != 0:
        names = ", ".join(f"{each.name} {each.version}" for each in artifacts)
        raise NoKafkaError(f"Maven could not fetch {names}:\n{done.stdout[-2000:]}{done.stderr[-1000:]}")


def cache_dir() -> Path:
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library/Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "kafka-nextgen-tests"
