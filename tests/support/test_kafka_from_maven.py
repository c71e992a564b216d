"""Fetching Kafka's jars and finding a Java for them, without either."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.support import kafka_from_maven as maven
from tests.support import maven_jars
from tests.support.maven_jars import Artifact
from tests.support.waiting import GUARD_S, eventually


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(maven_jars, "cache_dir", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def pretend_java(folder: Path, banner: str) -> None:
    """Whatever is asked of it, it prints this and the question, and ends."""
    (folder / "bin").mkdir()
    java = folder / "bin" / "java"
    java.write_text(f"#!/bin/sh\necho '{banner}' \"$*\" >&2\n")
    java.chmod(0o755)


def test_jars_in_the_cache_are_used_without_maven(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    (cache / "4.3.0-and-tools").mkdir(parents=True)
    assert maven.fetch_jars("4.3.0") == cache / "4.3.0-and-tools"


@pytest.mark.usefixtures("cache")
def test_without_cache_and_maven_there_is_no_kafka(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoKafkaError, match="no mvn on PATH"):
        maven.fetch_jars("4.3.0")


def test_of_two_that_want_the_same_jars_one_fetches_them(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    other_came = Event()

    def copy(_: str, artifacts: Sequence[Artifact], scratch: Path) -> None:
        asked.append(artifacts[0].version)
        (scratch / "jars").mkdir()
        (scratch / "jars" / "kafka.jar").touch()
        assert other_came.wait(GUARD_S)

    def looked_for(_: str) -> str:
        if asked:
            other_came.set()
        return "mvn"

    monkeypatch.setattr(maven_jars, "_copy_dependencies", copy)
    monkeypatch.setattr(maven_jars.shutil, "which", looked_for)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(maven.fetch_jars, "4.3.0")
        eventually("the first fetches", lambda: bool(asked))
        found = [pool.submit(maven.fetch_jars, "4.3.0").result(), first.result()]
    assert found == [cache / "4.3.0-and-tools"] * 2
    assert asked == ["4.3.0"]
    assert [path.name for path in found[0].iterdir()] == ["kafka.jar"]


@pytest.mark.parametrize(
    "banner", ['openjdk version "11.0.2" 2019-01-15', 'java version "1.8.0_202"', "no Java at all"]
)
def test_an_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, banner: str) -> None:
    pretend_java(tmp_path, banner)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NoKafkaError, match="is not Java 17 or newer"):
        maven.start_from_maven("4.3.0")
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(NoKafkaError, match="no java"):
        maven.start_from_maven("4.3.0")


def test_a_broker_that_ends_at_once_shows_its_log(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_java(tmp_path, 'openjdk version "17.0.1" 2021-10-19')
    (cache / "4.3.0-and-tools").mkdir(parents=True)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(maven.KafkaStartError, match=r'ended while it started:\nopenjdk version "17\.0\.1"'):
        maven.start_from_maven("4.3.0")


def test_how_much_memory_a_broker_gets_is_said_as_to_kafkas_own_scripts(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_java(tmp_path, 'openjdk version "17.0.1" 2021-10-19')
    (cache / "4.3.0-and-tools").mkdir(parents=True)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("KAFKA_HEAP_OPTS", "-Xmx1G -Xms1G")
    monkeypatch.setenv("KAFKA_JVM_PERFORMANCE_OPTS", "-XX:+UseG1GC")
    with pytest.raises(maven.KafkaStartError, match=r"-Xmx1G -Xms1G -XX:\+UseG1GC -D.*kafka\.Kafka"):
        maven.start_from_maven("4.3.0")
