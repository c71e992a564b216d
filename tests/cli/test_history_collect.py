"""``kafka-nextgen history collect`` beside a group whose members join, commit and leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from kafka_nextgen import Consumer, GroupAdmin, TopicPartition
from kafka_nextgen.cli.main import cli
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.json_lines import decode_event
from kafka_nextgen.types import OffsetAndMetadata
from tests.cli.running import kafka_nextgen, running
from tests.endtoend.reading import config_of, poll_until
from tests.history.making import events_in
from tests.support.clients import create_topic, produce, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually

PARTITIONS = 4


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


@contextmanager
def collecting(kafka: KafkaServer, *options: str) -> Iterator[None]:
    """Run the command, and end it by SIGTERM."""
    with running("history", "collect", "-b", kafka.bootstrap_servers, "--interval", "0.2", *options) as command:
        yield
    first, *_, last = command.errors.splitlines()
    assert first.startswith("Writing events to ")
    assert last.endswith(", 0 dropped")


def waiting_for(log: Path, polled: list[Consumer]) -> Callable[..., Event]:
    """Return a function that polls members until the log has such an event, and returns the last of them."""

    def wait_for(kind: EventKind, **fields: object) -> Event:
        def found() -> list[Event]:
            return [
                each
                for each in events_in(log)
                if each.kind is kind and all(getattr(each, name) == value for name, value in fields.items())
            ]

        poll_until(polled, lambda: bool(found()))
        return found()[-1]

    return wait_for


def test_the_log_tells_who_came_what_was_committed_and_who_left(kafka: KafkaServer, log: Path) -> None:
    topic = create_topic(kafka.bootstrap_servers, "collected", PARTITIONS)
    produce(kafka.bootstrap_servers, topic, 20, partitions=PARTITIONS)
    group, members = unique("collected"), []
    wait_for = waiting_for(log, members)
    with collecting(kafka, "--group", group, "-o", str(log), "--name", "here"):
        with Consumer(config_of(kafka, group, client_id="first")) as first:
            first.subscribe([topic])
            members.append(first)
            joined = wait_for(EventKind.JOINED, client="first")
            wait_for(EventKind.ASSIGNED, member=joined.member, topic=topic, partitions=(0, 1, 2, 3))
            with Consumer(config_of(kafka, group, group_instance_id="two")) as second:
                second.subscribe([topic])
                members.append(second)
                came = wait_for(EventKind.JOINED, instance="two")
                taken = wait_for(EventKind.ASSIGNED, member=came.member, topic=topic)
                given = wait_for(EventKind.REVOKED, member=joined.member, topic=topic)
                assert set(given.partitions or ()) == set(taken.partitions or ())
                first.commit({TopicPartition(topic, 0): OffsetAndMetadata(3)})
                wait_for(EventKind.COMMITTED, topic=topic, partitions=(0,), offset=3)
                wait_for(EventKind.LAG, topic=topic, partitions=(0,), offset=3, end=5)
            members.remove(first)
        members.clear()
        eventually("the first one is gone", lambda: any(_left(each, joined) for each in events_in(log)))
    events = events_in(log)
    assert [each.seq for each in events] == list(range(len(events)))
    (source,) = {each.source for each in events}
    assert source.startswith("poller:here/")
    (cluster,) = {each.cluster for each in events}
    assert cluster
    assert {each.group for each in events} == {group}
    assert {each.protocol for each in events} == {"consumer"}
    epochs = [each.epoch for each in events if each.kind is EventKind.GROUP_EPOCH]
    assert epochs == sorted(epochs)
    assert len(epochs) > 1


def _left(event: Event, joined: Event) -> bool:
    return event.kind is EventKind.LEFT and event.member == joined.member


def test_a_topic_takes_the_events_of_groups_by_pattern(embedded_kafka: KafkaServer) -> None:
    topic = create_topic(embedded_kafka.bootstrap_servers, "history")
    group, other = unique("chosen"), unique("other")
    with Consumer(config_of(embedded_kafka, "readers")) as reader:
        reader.assign([TopicPartition(topic, 0)])
        found: list[Event] = []
        with collecting(embedded_kafka, "--pattern", "chosen-.*", "--topic", topic):
            for name in (other, group):
                commit(embedded_kafka, name, topic)

            def has_commit() -> bool:
                found.extend(decode_event(record.value) for record in reader.poll(timeout=0.2))
                return any(each.kind is EventKind.COMMITTED and each.group == group for each in found)

            eventually("the commit is told", has_commit)
    assert {each.group for each in found if each.group.startswith("other")} == set()


def commit(kafka: KafkaServer, group: str, topic: str) -> None:
    with GroupAdmin(bootstrap_servers=kafka.bootstrap_servers) as admin:
        assert not admin.alter_offsets(group, {TopicPartition(topic, 0): 0}).failed


def test_a_second_run_continues_the_file_as_another_source(embedded_kafka: KafkaServer, log: Path) -> None:
    group = unique("again")
    topic = create_topic(embedded_kafka.bootstrap_servers, "again")
    commit(embedded_kafka, group, topic)
    for runs in (1, 2):
        with collecting(embedded_kafka, "--group", group, "-o", str(log)):
            eventually("it wrote", lambda: len({each.source for each in events_in(log)}) == runs)  # noqa: B023
    identities = [(each.source, each.seq) for each in events_in(log)]
    assert len(set(identities)) == len(identities)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "--output FILE or --topic NAME"),
        (["-o", "log.jsonl", "--topic", "t"], "--output FILE or --topic NAME"),
        (["--group", "", "-o", "log.jsonl"], "--group takes the id of a group"),
        (["--pattern", "(", "-o", "log.jsonl"], "--pattern (:"),
        (["-o", "/nowhere/log.jsonl"], "directory /nowhere does not exist; create it first"),
    ],
)
def test_what_is_asked_wrongly_is_refused(options: list[str], said: str) -> None:
    done = CliRunner().invoke(cli, ["history", "collect", "-b", "localhost:1", *options])
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize("how", [["--once"], ["--once", "--records"]])
def test_an_absent_cluster_is_a_failure_where_it_is_asked_once(log: Path, how: list[str]) -> None:
    done = kafka_nextgen("history", "collect", "-b", "localhost:1", "--timeout", "1", "-o", str(log), *how)
    assert done.returncode == 1
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert "localhost:1" in said
