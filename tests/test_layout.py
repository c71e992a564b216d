"""What may import what: tests share helpers and not each other, and the library has no module that only tests use."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.toml_files import read_toml

ROOT = Path(__file__).parent.parent

#: What applications import or run. Everything else is there for these.
ENTRY_POINTS = (
    "kafka_nextgen",
    "kafka_nextgen.cli.main",
    "kafka_nextgen.opentelemetry",
    "kafka_nextgen.prometheus",
    "kafka_nextgen.spark.history",
    "kafka_nextgen.testing",
    "pyspark_kafka_nextgen",
    "pytest_kafka_nextgen",
)


def module_of(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def named_in(path: Path, *, with_texts: bool = True) -> Iterator[str]:
    """Dotted names that a module imports, and its strings: some are the names of modules that are imported later.

    A name that is imported from a module may be one in turn.
    """
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module or ''}.{each.name}" for each in node.names)
        elif with_texts and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def packages_of(name: str) -> Iterator[str]:
    """``a.b.c``, ``a.b`` and ``a``: whatever imports the first imports the others."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def test_no_test_imports_from_a_module_of_tests() -> None:
    paths = list((ROOT / "tests").rglob("*.py"))
    modules = {path.stem for path in paths if path.stem.startswith("test_")}
    found = [
        f"{module_of(path)} imports {name}"
        for path in paths
        if modules & {*re.findall(r"test_\w+", path.read_text())}  # or it imports none: parsing all takes seconds
        for name in named_in(path, with_texts=False)
        if any(part.startswith("test_") for part in name.split("."))
    ]
    assert found == []


def test_every_module_of_the_library_is_used_by_the_library() -> None:
    packages = ("kafka_nextgen", "pyspark_kafka_nextgen", "pytest_kafka_nextgen")
    sources = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    modules = {module_of(path): path for path in sources}
    reached: set[str] = set()
    waiting = list(ENTRY_POINTS)
    while waiting:
        new = {name for name in packages_of(waiting.pop()) if name in modules and name not in reached}
        reached |= new
        waiting += [name for module in new for name in named_in(modules[module])]
    assert sorted(modules.keys() - reached) == []


def test_all_but_commands_are_forbidden_to_import_the_test_double() -> None:
    contracts = read_toml(ROOT / "pyproject.toml")["tool"]["importlinter"]["contracts"]
    (only_commands,) = (each for each in contracts if each.get("forbidden_modules") == ["kafka_nextgen.testing"])
    package = ROOT / "kafka_nextgen"
    modules = {module_of(path) for path in (*package.glob("*.py"), *package.glob("*/__init__.py"))}
    others = modules - {"kafka_nextgen", "kafka_nextgen.cli", "kafka_nextgen.testing"}
    assert sorted(others) == only_commands["source_modules"]
