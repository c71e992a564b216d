"""What must work wherever the package is installed; .ci/package runs this folder alone, where there is no source tree.

So it may import nothing but pytest and the package, and needs none of the extras. It passes without google-re2, too.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import pkgutil
import subprocess
import sys
import sysconfig
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import kafka_nextgen
from kafka_nextgen import AsyncConsumer, ConfigError, SubscriptionPattern

#: Packages of extras, other clients, whose producers may be used, and google-re2, which has no wheels for musl.
OPTIONAL = {
    *("gssapi", "google", "opentelemetry", "pandas", "polars", "prometheus_client", "pyarrow", "pyspark"),
    *("confluent_kafka", "kafka", "re2"),
}
WITH = os.environ.get("KAFKA_NEXTGEN_INSTALLED_WITH")
GUARD_S = 600  # against hanging only, on any machine


@pytest.mark.skipif(WITH is None, reason="says .ci/package")
def test_it_is_what_was_installed() -> None:
    assert Path(kafka_nextgen.__file__).resolve().is_relative_to(Path(sysconfig.get_path("platlib")).resolve())
    assert kafka_nextgen.accelerated is (WITH == "the extension")


def test_every_module_can_be_imported_but_for_its_extra() -> None:
    failed = {name: error for name in modules() if (error := import_error(name)) is not None}
    assert {name: str(error) for name, error in failed.items() if missing_package(error) not in OPTIONAL} == {}


def modules() -> list[str]:
    found = pkgutil.walk_packages(kafka_nextgen.__path__, "kafka_nextgen.", onerror=lambda _: None)
    return [each.name for each in found if not each.name.endswith("__main__")]


def import_error(name: str) -> ImportError | None:
    try:
        import_module(name)
    except ImportError as error:
        return error
    return None


def missing_package(error: BaseException) -> str:
    while error.__cause__ is not None:  # an error that says which extra to install
        error = error.__cause__
    return (getattr(error, "name", None) or "").partition(".")[0]


def test_the_command_says_the_version() -> None:
    command = Path(sysconfig.get_path("scripts")) / ("kafka-nextgen.exe" if os.name == "nt" else "kafka-nextgen")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True, timeout=GUARD_S)
    assert done.stdout == f"kafka-nextgen, version {importlib.metadata.version('kafka-nextgen')}\n"


def test_a_consumer_reads_and_commits(
    kafka_cluster: Any, kafka_topic: str, kafka_consumer: Any, kafka_group: str
) -> None:
    kafka_cluster.produce(kafka_topic, [{"id": number} for number in range(100)])
    consumer = kafka_consumer(kafka_topic)
    records: list[Any] = []
    while len(records) < 100:
        records += consumer.poll(timeout=GUARD_S)
    consumer.commit()
    assert records[99].value == b'{"id":99}'
    assert sum(kafka_cluster.committed(kafka_group).values()) == 100


def test_an_async_consumer_reads(kafka_cluster: Any, kafka_topic: str, kafka_group: str) -> None:
    async def first() -> object:
        settings = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "auto.offset.reset": "earliest"}
        async with AsyncConsumer({**settings, "group.id": kafka_group}) as consumer:
            await consumer.subscribe([kafka_topic])
            async for record in consumer:
                return record.value
        return None

    kafka_cluster.produce(kafka_topic, ["a record"])
    assert asyncio.run(asyncio.wait_for(first(), GUARD_S)) == b"a record"


def test_a_pattern_is_checked_here_if_google_re2_is_installed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pattern = SubscriptionPattern("orders.*")
    if import_error("re2") is None:
        assert pattern.preview(["orders-eu", "audit"]) == ("orders-eu",)
    else:
        with pytest.raises(ConfigError, match="google-re2 is not installed"):
            pattern.preview(["orders-eu"])


@pytest.mark.skipif(sys.platform != "linux", reason="the dependency is left out on musl only")
def test_google_re2_is_a_dependency_but_on_musl() -> None:
    wanted = importlib.metadata.requires("kafka-nextgen") or []
    has_glibc = "musl" not in (sysconfig.get_config_var("HOST_GNU_TYPE") or "")
    assert any(each.startswith("google-re2") for each in wanted) is has_glibc
