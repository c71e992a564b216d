"""Fetching Kafka's jars and finding a Java for them, without either."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tests.support import kafka_from_maven as maven
from tests.support.kafka_server import NoKafkaError


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(maven, "_cache_dir", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def pretend_java(folder: Path, banner: str) -> None:
    (folder / "bin").mkdir()
    java = folder / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho '{banner}' >&2\n")
    java.chmod(0o755)


def test_jars_in_the_cache_are_used_without_maven(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    (cache / "4.3.0").mkdir(parents=True)
    assert maven.fetch_jars("4.3.0") == cache / "4.3.0"


@pytest.mark.usefixtures("cache")
def test_without_cache_and_maven_there_is_no_kafka(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoKafkaError, match="no mvn on PATH"):
        maven.fetch_jars("4.3.0")


def test_two_runs_that_fetch_at_once_both_find_whole_jars(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Barrier(2)

    def copy(_: str, version: str, scratch: Path) -> None:
        (scratch / "jars").mkdir()
        (scratch / "jars" / f"kafka-{version}.jar").touch()
        both.wait(timeout=10)

    monkeypatch.setattr(maven, "_copy_dependencies", copy)
    monkeypatch.setattr(maven.shutil, "which", lambda _: "mvn")
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(maven.fetch_jars, ["4.3.0", "4.3.0"]))
    assert found == [cache / "4.3.0"] * 2
    assert [path.name for path in cache.iterdir()] == ["4.3.0"]
    assert [path.name for path in found[0].iterdir()] == ["kafka-4.3.0.jar"]


@pytest.mark.parametrize(
    "banner", ['openjdk version "11.0.2" 2019-01-15', 'java version "1.8.0_202"', "no Java at all"]
)
def test_an_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, banner: str) -> None:
    pretend_java(tmp_path, banner)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NoKafkaError, match="is not Java 17 or newer"):
        maven.start_from_maven("4.3.0")


def test_a_missing_java_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NoKafkaError, match="no java"):
        maven.start_from_maven("4.3.0")


def test_a_broker_that_ends_at_once_shows_its_log(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_java(tmp_path, 'openjdk version "17.0.1" 2021-10-19')  # whatever is asked of it, it prints this and ends
    (cache / "4.3.0").mkdir(parents=True)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(maven.KafkaStartError, match=r'ended while it started:\nopenjdk version "17\.0\.1"'):
        maven.start_from_maven("4.3.0")
