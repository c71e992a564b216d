"""Importing the library is quiet, also for whoever makes every warning an error."""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import pkgutil
import re
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

import kafka_nextgen
from kafka_nextgen import assignors
from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.testing import Cluster
from kafka_nextgen.version import VERSION
from tests.engine.stage import SETTINGS, Stage
from tests.processes.programs import READS, run
from tests.support.waiting import GUARD_S

PACKAGE = Path(kafka_nextgen.__file__).parent
_COMPILE = re.compile


def test_the_import_warns_of_nothing() -> None:
    program = "import kafka_nextgen, kafka_nextgen.testing.broker, kafka_nextgen.testing, kafka_nextgen.cli.main"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=GUARD_S)


def test_what_the_application_says_about_warnings_stays_in_force() -> None:
    program = "import warnings as w; before = w.filters[:]; import kafka_nextgen; assert w.filters[:] == before"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=GUARD_S)


def parts(hint: object) -> Iterator[object]:
    """The types that a type hint is made of."""
    yield hint
    for part in typing.get_args(hint):
        yield from parts(part)


def has_fields(kind: object) -> bool:
    return isinstance(kind, type) and (attrs.has(kind) or hasattr(kind, "_fields"))  # or a named tuple


VALUES = [name for name in kafka_nextgen.__all__ if has_fields(getattr(kafka_nextgen, name))]


@pytest.mark.parametrize("name", VALUES)
def test_the_types_of_what_is_exported_are_exported(name: str) -> None:
    hints = typing.get_type_hints(getattr(kafka_nextgen, name)).values()
    used = {part for hint in hints for part in parts(hint) if isinstance(part, type)}
    ours = {kind for kind in used if kind.__module__.startswith("kafka_nextgen")}
    exported = {getattr(module, name) for module in (kafka_nextgen, assignors) for name in module.__all__}
    assert ours <= exported


def test_what_run_takes_can_be_written_down() -> None:
    from kafka_nextgen import AsyncDeadLetter, AsyncHandler, DeadLetter, Handler, Order, Record

    async def handle(record: Record) -> None: ...

    def give_up(record: Record, error: Exception) -> None: ...

    handlers: tuple[Handler, AsyncHandler] = (print, handle)
    letters: tuple[DeadLetter, AsyncDeadLetter] = (give_up, give_up)
    assert (len(handlers), len(letters), Order("key")) == (2, 2, Order.KEY)


_LOADED = "import sys, kafka_nextgen as k; k.Consumer(bootstrap_servers='localhost:1', group_id='g').close(); "

#: What takes long to load, or what a consumer has no business with.
NOT_LOADED = [
    *("kafka", "importlib.metadata", "re2", "click", "rich", "pyarrow", "pandas", "polars", "numpy"),
    *("prometheus_client", "opentelemetry"),
    *(
        f"kafka_nextgen.{name}"
        for name in (
            *("admin", "aio", "assignors.explaining", "assignors.uniform", "spark", "testing"),
            *("processing.runner", "transport.security.login"),
            *("engine.member.assignor_driver", "engine.member.classic_driver", "engine.member.consumer_driver"),
            *("membership.assigning", "membership.classic.events", "membership.member"),
            *("metrics.coordinator_metrics", "metrics.consumer_metrics", "wire.records.encode"),
            *("wire.schemas.access", "wire.schemas.configs", "wire.schemas.extensions", "wire.schemas.groups"),
            *("wire.schemas.produce", "wire.schemas.topics", "wire.schemas.transactions"),
        )
    ),
]


#: What ``from kafka_nextgen import Consumer`` does not import: a consumer imports its parts when it is created.
NOT_FOR_THE_CLASS = {
    *NOT_LOADED,
    *("decimal", "difflib", "email", "fractions", "hmac", "html", "http", "json", "random", "secrets", "shutil"),
    *("tempfile", "urllib.request", "zipfile", "zlib"),
    *(
        f"kafka_nextgen.{name}"
        for name in (
            *("config", "engine.engine", "engine.application.core", "engine.application.showing", "engine.member"),
            *("engine.observability", "engine.offsets", "engine.reading", "event_log", "fetching", "history"),
            *("java_config", "membership.events", "other_clients", "properties.security_config", "scanning"),
            *("transport.cluster", "transport.connection", "transport.security", "values", "wire.apis"),
            *("wire.records", "wire.schema"),
        )
    ),
}


#: What ``AsyncConsumer`` is, and what its loops are made of.
FOR_LOOPS = {"kafka_nextgen.aio", "kafka_nextgen.wire.records", "zlib"}


#: What ``import kafka_nextgen`` does not import besides.
NOT_FOR_THE_PACKAGE = {
    *NOT_FOR_THE_CLASS,
    *("asyncio", "concurrent.futures", "logging", "socket", "ssl"),
    *(("subprocess",) if sys.version_info >= (3, 11) else ()),  # before, platform imported it, which attrs imports
    *("kafka_nextgen.consumer", "kafka_nextgen.engine", "kafka_nextgen.properties", "kafka_nextgen.transport"),
}


#: What a command does not import if it only prints help, or lists groups of a cluster.
NOT_FOR_HELP = {
    *("asyncio", "logging.handlers", "re2", "rich", "ssl", "kafka_nextgen.admin", "kafka_nextgen.config"),
    *("kafka_nextgen.consumer", "kafka_nextgen.engine", "kafka_nextgen.history", "kafka_nextgen.testing"),
}
NOT_FOR_LISTING_GROUPS = {
    *("re2", "pyarrow", "kafka_nextgen.admin.assigning", "kafka_nextgen.admin.configs"),
    *("kafka_nextgen.admin.members", "kafka_nextgen.consumer", "kafka_nextgen.fetching", "kafka_nextgen.history"),
    *("kafka_nextgen.membership.events", "kafka_nextgen.scanning", "kafka_nextgen.testing"),
}


#: What reading partitions assigned by hand has no use for either, without a group: each new process pays for imports.
NOT_FOR_READING_BY_HAND = [
    "difflib",
    "hmac",
    "kafka_nextgen.engine.offsets.client",
    "kafka_nextgen.engine.observability.rebalance_history",
    "kafka_nextgen.wire.schemas.consumer_group",
    "kafka_nextgen.wire.schemas.offsets",
    "kafka_nextgen.wire.schemas.sasl",
    "kafka_nextgen.membership.effects",
    "kafka_nextgen.membership.events",
    "kafka_nextgen.membership.offsets",
    "kafka_nextgen.transport.security.authentication",
]


#: What planning a query of Spark has no use for: each query starts a process for it.
NOT_FOR_PLANNING = {
    "kafka_nextgen.admin",
    "kafka_nextgen.consumer",
    "kafka_nextgen.engine.engine",
    "kafka_nextgen.fetching",
    "kafka_nextgen.processing",
}


#: Packages beside a consumer or above it: the test double and the tools. A member of a group needs none of them.
NOT_FOR_A_MEMBER = [
    *("admin", "cli", "collecting", "history", "offsets_topic", "opentelemetry", "producing", "prometheus"),
    *("spark", "testing"),
]


def test_what_must_not_be_loaded_is_there() -> None:
    of_members = [f"kafka_nextgen.{name}" for name in NOT_FOR_A_MEMBER]
    of_commands = {*NOT_FOR_HELP, *NOT_FOR_LISTING_GROUPS}
    named = {*NOT_FOR_THE_PACKAGE, *NOT_FOR_READING_BY_HAND, *NOT_FOR_PLANNING, *of_members, *of_commands}
    ours = {name for name in named if "kafka_nextgen." in name}
    assert [name for name in sorted(ours) if importlib.util.find_spec(name) is None] == []


#: Packages some of whose names are imported when they are asked for.
LAZY = ("admin", "assignors", "wire.records")


def test_a_consumer_loads_nothing_heavy_that_it_does_not_use() -> None:
    program = _LOADED + f"assert not (heavy := sys.modules.keys() & {set(NOT_LOADED)}), heavy"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=GUARD_S)


@pytest.mark.parametrize(
    ("program", "heavy"),
    [
        pytest.param("import kafka_nextgen", NOT_FOR_THE_PACKAGE, id="package"),
        pytest.param("from kafka_nextgen import Consumer", NOT_FOR_THE_CLASS, id="Consumer"),
        pytest.param("from kafka_nextgen import AsyncConsumer", NOT_FOR_THE_CLASS - FOR_LOOPS, id="aio"),
    ],
)
def test_importing_a_class_does_not_import_what_its_objects_consist_of(program: str, heavy: set[str]) -> None:
    check = f"import sys; {program}; assert not (heavy := sys.modules.keys() & {heavy}), heavy"
    subprocess.run([sys.executable, "-c", check], check=True, timeout=GUARD_S)


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], NOT_FOR_HELP),
        (["groups", "--help"], NOT_FOR_HELP),
        (["groups", "list", "-b", "localhost:1", "--timeout", "0.001"], NOT_FOR_LISTING_GROUPS),
    ],
)
def test_a_command_imports_only_what_it_uses(arguments: list[str], heavy: set[str]) -> None:
    program = (
        "import sys; from kafka_nextgen.cli.main import cli; cli(sys.argv[1:], standalone_mode=False)\n"
        if "--help" in arguments
        else "import sys, contextlib, click; from kafka_nextgen.cli.main import cli\n"
        "with contextlib.suppress(click.ClickException): cli(sys.argv[1:], standalone_mode=False)\n"
    )
    check = f"{program}assert not (heavy := sys.modules.keys() & {heavy}), heavy"
    subprocess.run([sys.executable, "-c", check, *arguments], check=True, timeout=GUARD_S, stdout=subprocess.DEVNULL)


def test_attrs_generates_hardly_any_methods_at_import() -> None:
    program = "import linecache; from kafka_nextgen import Consumer; print(*linecache.cache, sep='\\n')"
    ended = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=GUARD_S)
    sources = [name for name in ended.stdout.splitlines() if name.startswith("<attrs") and " kafka_nextgen." in name]
    assert {name.removesuffix(">").split()[-1] for name in sources} == {
        "kafka_nextgen.engine.application.value_formats.Formats",  # there are objects of these two
        "kafka_nextgen.properties.value_types.ValueType",
        "kafka_nextgen.lazy_attrs.Sample",
    }


def at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """The parts of a module that run when it is imported."""
    for part in ast.iter_child_nodes(tree):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        yield part
        yield from at_import(part)


def compiled_at_import(source: str) -> list[int]:
    """The lines that compile a regular expression at import."""
    calls = [each for each in at_import(ast.parse(source)) if isinstance(each, ast.Call)]
    return [each.lineno for each in calls if ast.unparse(each.func) == "re.compile"]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_regular_expression_is_compiled_at_import(path: Path) -> None:
    assert compiled_at_import(path.read_text(encoding="utf-8")) == []


def test_a_compiled_expression_would_be_found() -> None:
    source = "import re\nclass A:\n    B = [re.compile('a')]\ndef f():\n    return re.compile('b')\n"
    assert compiled_at_import(source) == [3]


def test_a_pattern_is_compiled_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(re, "compile", lambda text, flags: compiled.append(text) or _COMPILE(text, flags))
    words = lazy_pattern(r"\w+", re.ASCII)
    assert compiled == []
    assert (words.fullmatch("\u00e9"), words.findall("a b"), words.findall("c")) == (None, ["a", "b"], ["c"])
    assert compiled == [r"\w+"] * 2  # once for each of its methods


def test_a_reader_by_hand_loads_no_member_and_no_offsets() -> None:
    program = (
        "import sys, kafka_nextgen as k; consumer = k.Consumer(bootstrap_servers='localhost:1'); "
        "consumer.assign([k.TopicPartition('orders', 0)]); consumer.poll(0); consumer.close(); "
        f"assert not (heavy := sys.modules.keys() & {set(NOT_LOADED + NOT_FOR_READING_BY_HAND)}), heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=GUARD_S)


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_a_live_member_loads_neither_the_test_double_nor_tools(monkeypatch: pytest.MonkeyPatch, protocol: str) -> None:
    reads = READS.replace('"group.id": group', f'"group.id": group, "group.protocol": "{protocol}"')
    names_modules = 'print(*(name[14:] for name in list(sys.modules) if name.startswith("kafka_nextgen.")))'
    with Cluster(config=SETTINGS) as cluster:
        Stage(cluster, monkeypatch).create(records=20)
        ended = run(f"{reads}\nread('alone')\n{names_modules}", cluster.bootstrap_servers)
    assert (ended.returncode, ended.stderr) == (0, "")
    said, modules = ended.stdout.splitlines()
    loaded = set(modules.split())
    assert said == "alone 20"
    assert f"engine.member.{protocol}_driver" in loaded  # it was a member
    assert sorted(name for name in loaded if name.partition(".")[0] in NOT_FOR_A_MEMBER) == []


def test_a_planner_of_spark_loads_no_consumer() -> None:
    modules = ", ".join(f"kafka_nextgen.spark.{name}" for name in ("source", "batch_planner", "stream_planner"))
    program = f"import sys, {modules}; assert not (heavy := sys.modules.keys() & {NOT_FOR_PLANNING}), heavy"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=GUARD_S)


def test_what_loads_late_is_the_same_object_ever_after() -> None:
    import kafka_nextgen.admin

    assert set(kafka_nextgen.__all__) <= set(dir(kafka_nextgen))
    assert kafka_nextgen.GroupAdmin is kafka_nextgen.admin.GroupAdmin
    with pytest.raises(AttributeError, match="no attribute 'GroupAdmim'"):
        kafka_nextgen.GroupAdmim  # type: ignore[attr-defined]  # noqa: B018
    assert set(assignors.__all__) <= set(dir(assignors))
    assert assignors.explain is assignors.explaining.explain
    with pytest.raises(AttributeError, match="no attribute 'explian'"):
        assignors.explian  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("package", ["kafka_nextgen", *(f"kafka_nextgen.{each}" for each in LAZY)])
def test_what_loads_late_is_found_where_it_is_said_to_be(package: str) -> None:
    module = importlib.import_module(package)
    places = vars(module)["_LATER"]
    assert set(places) <= set(module.__all__)
    assert not places.keys() & {found.name for found in pkgutil.iter_modules(module.__path__)}  # it would hide the name
    for name, place in places.items():
        assert getattr(module, name) is getattr(importlib.import_module(place), name)


def test_the_version_is_that_of_the_package() -> None:
    assert importlib.metadata.version("kafka-nextgen") == VERSION == kafka_nextgen.__version__


def test_every_api_has_its_two_messages() -> None:
    from kafka_nextgen.wire.apis import APIS

    named = {(api.request.API_KEY, api.response.API_KEY) for api in APIS.values()}
    assert named == {(key, key) for key in APIS}
