"""Check the prose of pages, docstrings and comments: ``python scripts/prose [--suggest] [PATH...]``.

The rules are in ``rules.toml``. proselint (https://github.com/amperser/proselint) matches them, and some of its own
checks. The exit code is 1 if there is a finding. ``--suggest`` also prints long sentences and passive voice; both are
often right, and therefore do not change the exit code.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from checking import findings, suggestions
from extracting import prose_of

ROOT = Path(__file__).resolve().parents[2]

#: What is checked by default.
PATHS = ("README.md", "SECURITY.md", "docs", "kafka_nextgen", "pytest_kafka_nextgen")

#: Pages that quote others word for word, and programs.
LEFT_OUT = ("docs/internals/founding-documents/", "docs/tools/")


def files_in(paths: list[Path]) -> Iterator[Path]:
    """Yield the pages and modules."""
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in found:
            name = file.resolve().relative_to(ROOT).as_posix()
            if file.suffix in (".md", ".py") and not name.startswith(LEFT_OUT):
                yield file


def main() -> int:
    """Print the findings and return the exit code."""
    parser = argparse.ArgumentParser(description="Check the prose of pages, docstrings and comments.")
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / path for path in PATHS])
    parser.add_argument("--suggest", action="store_true", help="also print long sentences and passive voice")
    options = parser.parse_args()
    count = words = 0
    for file in files_in(options.paths):
        for prose in prose_of(file):
            words += len(prose.text.split())
            for found in findings(prose):
                count += 1
                print(f"{found.place}: {found.message} [{found.rule}]")
            for found in suggestions(prose) if options.suggest else ():
                print(f"{found.place}: suggestion: {found.message}")
    print(f"{count} findings in {words:,} words", file=sys.stderr)
    return min(count, 1)


if __name__ == "__main__":
    sys.exit(main())
