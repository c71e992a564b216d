"""Where tests run by ``--kafka``, and how a real Kafka is started there: with stand-ins for docker, Java and Maven."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.real_kafka import guardian, maven, place, single_node
from kafka_nextgen.testing.real_kafka.place import NoKafkaError, Place, parse_place
from tests.support.waiting import GUARD_S, eventually


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("embedded", Place("embedded")),
        ("embedded:4.0", Place("embedded", "4.0")),
        ("embedded:4.3.1", Place("embedded", "4.3")),
        ("docker", Place("docker")),
        ("docker:4.3.0", Place("docker", "4.3.0")),
        ("maven:4.0.0", Place("maven", "4.0.0")),
        ("localhost:9092", Place("running", bootstrap_servers="localhost:9092")),
        ("docker:9092", Place("running", bootstrap_servers="docker:9092")),  # a host of that name
        ("a:9092,[::1]:9093", Place("running", bootstrap_servers="a:9092,[::1]:9093")),
    ],
)
def test_a_place_is_read(text: str, meant: Place) -> None:
    assert parse_place(text) == meant


@pytest.mark.parametrize("text", ["", "podman", "localhost", "docker:latest", "maven:4.3", "a:9092,b"])
def test_a_place_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"is not a place where Kafka can be found: use embedded, .* or localhost:9092"
    ):
        parse_place(text)


def test_a_release_that_the_embedded_broker_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match=r"behaves like Kafka 4\.0, .*, not like 3\.9"):
        parse_place("embedded:3.9.1")


def test_a_kafka_that_is_running_is_left_running() -> None:
    running = place.start(parse_place("localhost:9092"), {})
    assert running.bootstrap_servers == "localhost:9092"
    running.stop()


@pytest.mark.parametrize(("version", "waits"), [("4.4.0", True), ("4.3.0", True), ("4.2.1", False), ("4.0.0", False)])
def test_a_release_gets_the_settings_that_it_knows(version: str, waits: bool) -> None:
    config = {"group.consumer.assignment.interval.ms": "0", "num.partitions": "3"}
    where = {"bind": "127.0.0.1", "port": 1, "controller_port": 2, "log_dir": "/data"}
    properties = single_node.properties_of(version, config, **where)  # type: ignore[arg-type]
    assert ("group.consumer.assignment.interval.ms" in properties) is waits
    assert properties["num.partitions"] == "3"
    assert properties["advertised.listeners"] == "PLAINTEXT://127.0.0.1:1"


def test_ports_are_different_ones() -> None:
    assert len(set(single_node.free_ports(5))) == 5


def test_a_broker_whose_port_was_taken_meanwhile_is_started_on_others() -> None:
    with Cluster() as cluster:
        taken = int(cluster.bootstrap_servers.rpartition(":")[2])
        asked: list[list[int]] = []

        def start(ports: Sequence[int]) -> int:
            asked.append(list(ports))
            with socket.socket() as listening:
                listening.bind(("127.0.0.1", taken if len(asked) < 3 else ports[0]))
            return ports[0]

        assert single_node.on_free_ports(2, start) == asked[2][0]
        assert len(asked) == 3
        assert len({tuple(ports) for ports in asked}) == 3


@pytest.mark.parametrize(("says", "attempts"), [("Bind for 0.0.0.0:7 failed: port is already allocated", 3), ("no", 1)])
def test_a_broker_that_never_starts_or_for_another_reason_is_not_tried_for_ever(says: str, attempts: int) -> None:
    asked: list[Sequence[int]] = []

    def start(ports: Sequence[int]) -> None:
        asked.append(ports)
        raise NoKafkaError(says)

    with pytest.raises(NoKafkaError, match=says):
        single_node.on_free_ports(1, start)
    assert len(asked) == attempts


def test_an_answering_broker_is_ready_and_one_that_ended_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with Cluster() as cluster:
        port = int(cluster.bootstrap_servers.rpartition(":")[2])
        single_node.wait_until_ready(port, lambda: True, str)
    with pytest.raises(NoKafkaError, match="Kafka exited during startup:\nlast words"):
        single_node.wait_until_ready(port, lambda: False, lambda: "last words")
    monkeypatch.setattr(single_node, "_TIMEOUT_S", -1)
    with pytest.raises(NoKafkaError, match="did not answer within"):
        single_node.wait_until_ready(port, lambda: True, lambda: "last words")


DOCKER = """#!{python}
import sys
with open({calls!r}, "a") as calls:
    print(*sys.argv[1:], file=calls)
answers = {{"version": "29", "run": "c0ffee", "inspect": "true", "rm": ""}}
if sys.argv[1] not in answers or {fails!r} == sys.argv[1]:
    sys.exit("no such image")
print(answers[sys.argv[1]])
"""


@pytest.fixture
def kafka_port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of an embedded broker, which takes the place of what docker or Java would start."""
    with Cluster() as cluster:
        port = int(cluster.bootstrap_servers.rpartition(":")[2])
        monkeypatch.setattr(single_node, "free_ports", lambda count: [port, 1])
        yield port


def put_docker(folder: Path, monkeypatch: pytest.MonkeyPatch, fails: str = "") -> Path:
    calls = folder / "calls"
    program = put_program(folder / "docker", DOCKER.format(python=sys.executable, calls=str(calls), fails=fails))
    monkeypatch.setenv("KAFKA_DOCKER", str(program))
    return calls


def put_program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_container_is_run_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kafka_port: int) -> None:
    calls = put_docker(tmp_path, monkeypatch)
    running = place.start(parse_place("docker:4.3.0"), {"a.key_of-mine": "7"})
    assert running.bootstrap_servers == f"127.0.0.1:{kafka_port}"
    running.stop()
    _, run, *_, removed = calls.read_text().splitlines()
    name = removed.rpartition(" ")[2]
    assert run.startswith(
        f"run --detach --name={name} --publish=127.0.0.1:{kafka_port}:{kafka_port} --env=KAFKA_PROCESS_ROLES="
    )
    assert run.endswith(" apache/kafka:4.3.0")
    assert f"--env=KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://127.0.0.1:{kafka_port} " in run
    assert "--env=KAFKA_A_KEY__OF___MINE=7" in run  # as the image wants it
    assert removed == f"rm --force --volumes {name}"


def test_what_docker_says_is_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kafka_port: int) -> None:
    calls = put_docker(tmp_path, monkeypatch, fails="run")
    with pytest.raises(NoKafkaError, match="docker run failed: no such image"):
        place.start(parse_place("docker"), {})
    assert calls.read_text().splitlines()[-1].startswith("rm ")  # it may have been created all the same
    put_docker(tmp_path, monkeypatch, fails="rm")
    with pytest.raises(NoKafkaError, match="docker rm failed: no such image"):
        place.start(parse_place("docker"), {}).stop()


JAVA = """#!{python}
import os, pathlib, sys, time
if "-version" in sys.argv:
    sys.exit('openjdk version "{version}.0.1"')
print("says", sys.argv[-1])
if "kafka.Kafka" in sys.argv:
    pathlib.Path(__file__).with_name("pid").write_text(str(os.getpid()))
    time.sleep({lives_s})
sys.exit({status})
"""
MAVEN = """#!{python}
import pathlib, sys
if {fails}:
    sys.exit("no network")
(output,) = [each.partition("=")[2] for each in sys.argv if each.startswith("-DoutputDirectory=")]
pathlib.Path(output).mkdir()
(pathlib.Path(output) / "kafka.jar").touch()
"""


def put_java(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, version: int = 21, status: int = 0, fails: bool = False
) -> None:
    put_program(folder / "java", JAVA.format(python=sys.executable, version=version, lives_s=GUARD_S, status=status))
    put_program(folder / "mvn", MAVEN.format(python=sys.executable, fails=fails))
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(maven.tempfile, "tempdir", str(folder))


@pytest.mark.skipif(sys.platform != "linux", reason="the cache is elsewhere")
def test_jars_are_fetched_once_and_a_broker_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kafka_port: int
) -> None:
    put_java(tmp_path, monkeypatch)
    running = place.start(parse_place("maven:4.3.0"), {"num.partitions": "3"})
    (home,) = tmp_path.glob("kafka-4.3.0-*")
    assert "num.partitions=3\n" in (home / "server.properties").read_text()
    assert running.bootstrap_servers == f"127.0.0.1:{kafka_port}"
    running.stop()
    assert not home.exists()
    assert [each.name for each in (tmp_path / "cache/kafka-nextgen").iterdir()] == ["kafka-4.3.0"]
    put_java(tmp_path, monkeypatch, fails=True)  # it is not asked again
    place.start(parse_place("maven:4.3.0"), {}).stop()


def test_what_is_missing_for_maven_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_java(tmp_path, monkeypatch, fails=True)
    with pytest.raises(NoKafkaError, match=r"Maven could not fetch Kafka 9\.9\.9:\n.*no network"):
        place.start(parse_place("maven:9.9.9"), {})
    (tmp_path / "mvn").unlink()
    with pytest.raises(NoKafkaError, match=r"there is no mvn on PATH to fetch Kafka 9\.9\.9"):
        place.start(parse_place("maven:9.9.9"), {})
    put_java(tmp_path, monkeypatch, version=11)
    with pytest.raises(NoKafkaError, match="java is not Java 17 or newer"):
        place.start(parse_place("maven"), {})
    (tmp_path / "java").unlink()
    with pytest.raises(NoKafkaError, match="there is no java on PATH or in JAVA_HOME; install Java 17"):
        place.start(parse_place("maven"), {})


def test_a_storage_that_can_t_be_formatted_is_said_with_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_java(tmp_path, monkeypatch, status=1)
    with pytest.raises(NoKafkaError, match=r"the storage of Kafka could not be formatted:\nsays .*server.properties"):
        place.start(parse_place("maven:4.3.0"), {})
    assert list(tmp_path.glob("kafka-4.3.0-*")) == []


#: Tests that have started a Kafka of each kind and are busy.
RUN = """
import sys
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.real_kafka import place, single_node

with Cluster() as cluster:
    port = int(cluster.bootstrap_servers.rpartition(":")[2])
    single_node.free_ports = lambda count: [port, 1]
    running = [place.start(place.parse_place(kind), {}) for kind in ("docker", "maven")]
    print("started", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the cache is elsewhere")
def test_nothing_is_left_of_a_kafka_whose_tests_were_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, pid = put_docker(tmp_path, monkeypatch), tmp_path / "pid"
    put_java(tmp_path, monkeypatch)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    tests = subprocess.Popen([sys.executable, "-c", RUN], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert tests.stdout is not None
    assert tests.stdout.readline() == b"started\n"
    eventually("the stand-in for Java runs", lambda: pid.exists() and bool(pid.read_text()))
    tests.kill()
    tests.communicate(timeout=GUARD_S)
    eventually("the container is removed", lambda: calls.read_text().splitlines()[-1].startswith("rm "))
    eventually("the files of the broker are removed", lambda: list(tmp_path.glob("kafka-4*")) == [])
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_broker_that_ends_by_itself_is_not_taken_for_alive(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as log:
        process = guardian.run_guarded([sys.executable, "-c", "print('last words'); raise SystemExit(3)"], "", log)
    assert process.wait(GUARD_S) == 3
    guardian.end(process)
    assert (tmp_path / "log").read_text() == "last words\n"
