"""Python environments for processes that are to have some of the packages of this one, and this library as an archive.

An environment is a real one of ``venv``, whose packages are links to those that are installed here. That takes a tenth
of a second, and nothing that is not named is there.
"""

from __future__ import annotations

import importlib.metadata
import venv
import zipfile
from collections.abc import Collection, Iterable
from pathlib import Path

import kafka_nextgen

__all__ = ["make_environment", "zip_library"]

LIBRARY = ("kafka_nextgen", "pyspark_kafka_nextgen")


def make_environment(home: Path, packages: Iterable[str]) -> Path:
    """Make an environment in ``home`` with these packages; return its interpreter."""
    venv.EnvBuilder(symlinks=True).create(home)
    (site,) = home.glob("lib/python*/site-packages")
    for entry in (entry for package in packages for entry in _entries_of(package)):
        (site / entry.name).symlink_to(entry)
    return home / "bin" / "python"


def _entries_of(package: str) -> Collection[Path]:
    installed = importlib.metadata.distribution(package)
    names = {file.parts[0] for file in installed.files or ()} - {"..", "__pycache__"}
    return [Path(str(installed.locate_file(name))) for name in names]


def zip_library(archive: Path) -> None:
    """Write the files of this library, without what is compiled, to an archive for ``--py-files``."""
    root = Path(kafka_nextgen.__file__).parent.parent
    with zipfile.ZipFile(archive, "w") as packed:
        for package in LIBRARY:
            for file in sorted((root / package).rglob("*")):
                if file.suffix in (".py", ".json"):
                    packed.write(file, file.relative_to(root))
