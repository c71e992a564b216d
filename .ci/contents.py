"""Check what a source distribution and the wheels beside it contain: python .ci/contents.py FOLDER.

* A wheel has every file that the source distribution has of the packages, the C extension, and nothing else.
* A source distribution can be built (the sources in C) and tested (tests, examples, pages).
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

PACKAGES = ("kafka_nextgen", "pyspark_kafka_nextgen", "pytest_kafka_nextgen")
COMPILED = (".so", ".pyd")
SOURCES = (
    *("pyproject.toml", "setup.py", "LICENSE", "README.md", "CHANGELOG.md"),
    *("accelerator/module.c", "accelerator/batch.h", "tests/conftest.py", "examples/sync.py", "docs/index.md"),
    *(".github/workflows/release.yml", ".pre-commit-config.yaml"),  # tests/test_contributing.py reads these
)
PACKAGED = (
    *("kafka_nextgen/py.typed", "kafka_nextgen/compiled/_accelerator.pyi", "kafka_nextgen/history/page/page.html"),
    *("kafka_nextgen/cli/data/flights.csv.gz", "kafka_nextgen/cli/data/LICENSE-CC0-1.0.txt"),
)
INFO = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE", "top_level.txt")


def in_source_distribution(path: Path) -> set[str]:
    """The files, without the folder that all of them are in."""
    with tarfile.open(path) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def faults_of_source_distribution(found: set[str]) -> list[str]:
    """What is missing, and what is built and not a source."""
    junk = [name for name in found if name.endswith((*COMPILED, ".pyc")) or name.startswith(("build/", ".venv/"))]
    return [f"it lacks {name}" for name in SOURCES if name not in found] + [f"it has {name}" for name in junk]


def faults_of_wheel(path: Path, sources: set[str]) -> list[str]:
    """The differences between a wheel and what it was built from."""
    with zipfile.ZipFile(path) as archive:
        files = {name for name in archive.namelist() if not name.endswith("/")}
    info = {name for name in files if PurePosixPath(name).parts[0].endswith(".dist-info")}
    extension = {name for name in files if name.endswith(COMPILED)}
    wanted = {name for name in sources if name.partition("/")[0] in PACKAGES}
    has = files - info - extension
    faults = [f"it lacks {name}" for name in sorted((wanted | set(PACKAGED)) - has)]
    faults += [f"it has {name}" for name in sorted(has - wanted)]
    if {name.partition("/")[2] for name in info} != set(INFO):
        faults.append(f"its .dist-info has {sorted(info)}")
    if [PurePosixPath(name).parent.as_posix() for name in extension] != ["kafka_nextgen/compiled"]:
        faults.append(f"it has {sorted(extension) or 'nothing'} as extension")
    return faults


def main(folder: Path) -> int:
    """Print the faults of all distributions in the folder; return 1 if there are any."""
    (source,) = folder.glob("*.tar.gz")
    sources = in_source_distribution(source)
    faults = {source.name: faults_of_source_distribution(sources)}
    faults |= {wheel.name: faults_of_wheel(wheel, sources) for wheel in sorted(folder.glob("*.whl"))}
    for name, found in faults.items():
        print(f"{name}: {'; '.join(found) or 'complete'}")
    return 1 if len(faults) < 2 or any(faults.values()) else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
