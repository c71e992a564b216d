"""Python environments for processes that are to have some of the packages of this one, and this library as an archive.

An environment is a real one of ``venv``, whose packages are links to those that are installed here. That takes a tenth
of a second, and nothing that is not named is there.
"""

from __future__ import annotations

import importlib.metadata
import tarfile
import venv
import zipfile
from collections.abc import Collection, Iterable
from pathlib import Path

import kafka_nextgen

#: What reading needs on an executor. PySpark needs pyarrow, too.
PACKAGES = ("attrs", "cramjam", "crc32c", "kafka-python", "pyarrow")

LIBRARY = ("kafka_nextgen", "pyspark_kafka_nextgen", "pytest_kafka_nextgen")

#: What is not needed: another name of ``lib``, and what is large in pyarrow and not used.
LEFT_OUT = ("lib64", "libarrow_flight", "libarrow_s3", "pyarrow/include", "pyarrow/tests", "__pycache__")


def make_environment(home: Path, packages: Iterable[str]) -> Path:
    """Make an environment in ``home`` with these packages; return its interpreter."""
    venv.EnvBuilder(symlinks=True).create(home)
    for package in packages:
        _link(home, _entries_of(package))
    return home / "bin" / "python"


def link_library(home: Path) -> None:
    _link(home, [_root() / package for package in LIBRARY])


def _link(home: Path, entries: Iterable[Path]) -> None:
    (site,) = home.glob("lib/python*/site-packages")
    for entry in entries:
        (site / entry.name).symlink_to(entry)


def _entries_of(package: str) -> Collection[Path]:
    installed = importlib.metadata.distribution(package)
    names = {file.parts[0] for file in installed.files or ()} - {"..", "__pycache__"}
    return [Path(str(installed.locate_file(name))) for name in names]


def _root() -> Path:
    return Path(kafka_nextgen.__file__).parent.parent


def pack_environment(home: Path, archive: Path, *, links: bool = False) -> None:
    """Pack an environment as venv-pack does: with the files that it links to, or with ``links`` as they are.

    The name has to end in ``.tar.gz``: of a ``.tar`` Spark makes files that can't be run.
    """
    with tarfile.open(archive, "w:gz", compresslevel=0, dereference=not links) as packed:
        packed.add(home, ".", filter=lambda entry: None if any(part in entry.name for part in LEFT_OUT) else entry)


def zip_library(archive: Path) -> None:
    """Write the files of this library, without what is compiled, to an archive for ``--py-files``."""
    with zipfile.ZipFile(archive, "w") as packed:
        for package in LIBRARY:
            for file in sorted((_root() / package).rglob("*")):
                if file.suffix in (".py", ".json"):
                    packed.write(file, file.relative_to(_root()))
