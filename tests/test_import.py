"""Importing the library is quiet, also for whoever makes every warning an error."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import pkgutil
import subprocess
import sys
import typing
from collections.abc import Iterator

import attrs
import pytest

import kafka_nextgen
from kafka_nextgen import assignors
from kafka_nextgen.testing import Cluster
from kafka_nextgen.version import VERSION
from tests.engine.stage import SETTINGS, Stage
from tests.processes.programs import READS, run
from tests.support.waiting import GUARD_S


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
    named = {*NOT_LOADED, *NOT_FOR_READING_BY_HAND, *NOT_FOR_PLANNING, *of_members}
    ours = {name for name in named if "kafka_nextgen." in name}
    assert [name for name in sorted(ours) if importlib.util.find_spec(name) is None] == []


#: Packages some of whose names are imported when they are asked for.
LAZY = ("assignors", "wire.records")


def test_a_consumer_loads_nothing_heavy_that_it_does_not_use() -> None:
    program = _LOADED + f"assert not (heavy := sys.modules.keys() & {set(NOT_LOADED)}), heavy"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=GUARD_S)


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
