"""Archives of the classes of a Java program, which ``java -XX:SharedArchiveFile`` maps: it starts in half the time.

An archive belongs to a Java and to the jars of a class path. It is made in the user's cache by the first process that
wants it, under CI and of a run by several processes. A test that runs alone uses one that is there and makes none,
as does a run with ``KAFKA_NEXTGEN_CLASS_ARCHIVES=0``, which starts Java once or twice.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

from tests.support import maven_jars
from tests.support.kafka_server import KafkaStartError

#: Without the archive, or with one that does not fit after all, Java goes on in silence.
_SILENT = "-Xlog:disable"


def archive_options(name: str, java: str, jars: Path, train: Callable[[str], None]) -> Sequence[str]:
    """Return the options of Java by which it uses the archive ``name`` of these jars; none if there is no archive.

    ``train`` runs a program to its end with the option that it is given, by which Java writes the archive.
    """
    folder = maven_jars.cache_dir() / "class-archives"
    archive, told = folder / f"{name}.jsa", folder / f"{name}.of"
    identity = _identity(java, jars)
    if not _is_of(told, identity) and _may_make_one():
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{name}.lock"):
            if not _is_of(told, identity):
                archive.unlink(missing_ok=True)
                with suppress(subprocess.SubprocessError, KafkaStartError):
                    train(f"-XX:ArchiveClassesAtExit={archive}")
                told.write_text(identity)  # also without an archive, which not every Java can make: once is enough
    fits = archive.exists() and _is_of(told, identity)
    return (f"-XX:SharedArchiveFile={archive}", _SILENT) if fits else ()


def _may_make_one() -> bool:
    is_refused = os.environ.get("KAFKA_NEXTGEN_CLASS_ARCHIVES") == "0"
    return not is_refused and ("PYTEST_XDIST_WORKER" in os.environ or "CI" in os.environ)


def _is_of(told: Path, identity: str) -> bool:
    return told.exists() and told.read_text() == identity


def _identity(java: str, jars: Path) -> str:
    """What Java compares: itself, and the place, the size and the time of each jar."""
    facts = [os.path.realpath(java), str(os.stat(java).st_mtime_ns)]
    for jar in sorted(jars.glob("*.jar")):
        status = jar.stat()
        facts.append(f"{jar} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()
