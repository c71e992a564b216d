"""The coordinators' own records, read while a script of members runs and once more behind it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kafka_nextgen import AsyncConsumer, AsyncGroupAdmin, Consumer, LeaveMode, OffsetAndMetadata
from kafka_nextgen.collecting import record_reader
from kafka_nextgen.collecting.collector import GroupFilter
from kafka_nextgen.collecting.record_reader import RecordReader, reader_config
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.testing import Cluster
from tests.cli.running import kafka_nextgen, running
from tests.collecting.members import Kept
from tests.endtoend.reading import config_of, poll_until
from tests.history.making import events_in
from tests.support.clients import create_topic, unique
from tests.support.embedded_kafka import start_embedded_kafka
from tests.support.kafka_server import KafkaServer
from tests.support.servers import EMBEDDED
from tests.support.waiting import GUARD_S, eventually

both_protocols = pytest.mark.parametrize("protocol", ["consumer", "classic"])


@pytest.fixture
def fresh_kafka() -> Iterator[KafkaServer]:
    """A broker without the records of other tests' groups, which would be read one by one."""
    kafka = start_embedded_kafka(EMBEDDED["embedded"])
    yield kafka
    kafka.stop()


def run_script(kafka: KafkaServer, group: str, topic: str, protocol: str) -> dict[str, frozenset[int]]:
    """``one`` joins, ``two`` joins, three offsets are committed, both leave; who owned what in between."""
    with (
        Consumer(**config_of(kafka, group, protocol, client_id="one")) as one,
        Consumer(**config_of(kafka, group, protocol, client_id="two")) as two,
    ):
        one.subscribe([topic])
        poll_until([one], lambda: len(one.assignment()) == 4)
        two.subscribe([topic])
        poll_until([one, two], lambda: (len(one.assignment()), len(two.assignment())) == (2, 2))
        for each in (1, 2, 3):
            partition = min(one.assignment())
            one.commit({partition: OffsetAndMetadata(each)})
        shared = {"one": one.assignment(), "two": two.assignment()}
        two.close(leave=LeaveMode.LEAVE)
        poll_until([one], lambda: len(one.assignment()) == 4)
        one.close(leave=LeaveMode.LEAVE)
    return {name: frozenset(each.partition for each in owned) for name, owned in shared.items()}


@contextmanager
def reading_records(kafka: KafkaServer, log: Path, *options: str) -> Iterator[None]:
    arguments = ["history", "collect", "-b", kafka.bootstrap_servers, "--records", "-o", str(log), *options]
    with running(*arguments) as command:
        yield
    assert "0 dropped" in command.errors


def _lefts(log: Path, group: str) -> int:
    return sum(event.kind is EventKind.LEFT and event.group == group for event in events_in(log))


def reported(folder: Path, group: str) -> dict[str, Any]:
    done = kafka_nextgen("history", "report", str(folder), "--group", group, "--json")
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(done.stdout)["groups"]
    assert isinstance(told, dict)
    return told


@both_protocols
def test_a_report_of_what_is_read_tells_what_the_script_did(kafka: KafkaServer, protocol: str, tmp_path: Path) -> None:
    group, log = unique("records"), tmp_path / "live.jsonl"
    with reading_records(kafka, log, "--pattern", "records-.*"):
        topic = create_topic(kafka.bootstrap_servers, "records", 4)
        shared = run_script(kafka, group, topic, protocol)
        eventually("both have left", lambda: _lefts(log, group) == 2)
    told = reported(tmp_path, group)
    clients = {row["member"]: row["client"] for row in told["members"]}
    assert {row["client"]: (row["joined"], row["left"], row["fenced"]) for row in told["members"]} == {
        "one": (1, 1, 0),
        "two": (1, 1, 0),
    }
    began = [(row["cause"], clients.get(row["by"])) for row in told["rebalances"]]
    assert began[0] == ("member joined", "one")
    assert ("member joined", "two") in began
    assert began[-1] == ("member left", "one")
    assert {row["topic"] for row in told["tenures"]} == {topic}
    moved = {row["partition"] for row in told["tenures"] if clients[row["member"]] == "two"}
    assert moved == shared["two"]
    assert told["overlaps"] == []
    assert [row["committed"] for row in told["owners"] if row["committed"] is not None] == [3]
    again = kafka_nextgen(
        *("history", "collect", "-b", kafka.bootstrap_servers, "--records", "--once", "--group", group),
        *("-o", str(tmp_path / "again.jsonl")),
    )
    assert again.returncode == 0, again.stderr
    assert events_in(tmp_path / "again.jsonl")
    assert reported(tmp_path, group) == told, "each event counts once"


def read_all(kafka: KafkaServer, choice: GroupFilter) -> tuple[list[Event], int]:
    """The events of all records that are there, and how many records could not be read."""
    config, kept = ConsumerConfig.parse(bootstrap_servers=kafka.bootstrap_servers), Kept()

    async def read() -> int:
        async with AsyncGroupAdmin(config) as admin, AsyncConsumer(reader_config(config)) as consumer:
            reader = RecordReader(admin, consumer, kept, choice)
            await reader.run(lambda: False, until_current_end=True)
            return reader.bad_records

    bad = asyncio.run(read())
    return kept.events, bad


@both_protocols
def test_a_batch_that_is_cut_by_a_poll_is_told_as_one(
    fresh_kafka: KafkaServer, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = unique("cut")
    run_script(fresh_kafka, group, create_topic(fresh_kafka.bootstrap_servers, "cut", 4), protocol)
    whole, _ = read_all(fresh_kafka, GroupFilter([group]))
    assert [event.kind for event in whole].count(EventKind.JOINED) == 2
    for most in (1, 2, 3):
        monkeypatch.setattr(record_reader, "_MAX_RECORDS", most)
        assert read_all(fresh_kafka, GroupFilter([group])) == (whole, 0)


def test_a_record_that_can_not_be_read_is_counted_and_the_rest_is_told(
    embedded_kafka: KafkaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = unique("bad")
    run_script(embedded_kafka, group, create_topic(embedded_kafka.bootstrap_servers, "bad", 4), "classic")
    whole, _ = read_all(embedded_kafka, GroupFilter([group]))
    commits = [event for event in whole if event.kind is EventKind.COMMITTED]
    decode = record_reader.decode

    def refuse_commits(key: bytes, value: bytes | None) -> object:
        if group.encode() in key and key[:2] == b"\0\1":  # an offset
            raise DecodeError("planted")
        return decode(key, value)

    monkeypatch.setattr(record_reader, "decode", refuse_commits)
    rest = [event for event in whole if event not in commits]
    assert commits
    assert read_all(embedded_kafka, GroupFilter([group])) == (rest, len(commits))


@pytest.mark.parametrize(
    ("groups", "pattern", "chosen"),
    [((), None, "ab"), (("a",), None, "a"), ((), "b.*", "b"), (("a",), "b.*", "ab"), ((), "x", "")],
)
def test_which_groups_are_meant(groups: tuple[str, ...], pattern: str | None, chosen: str) -> None:
    choice = GroupFilter(groups, None if pattern is None else re.compile(pattern))
    assert "".join(filter(choice.matches_id, "ab")) == chosen


def test_a_cluster_in_which_no_group_has_met(tmp_path: Path) -> None:
    with Cluster() as cluster:
        done = kafka_nextgen(
            *("history", "collect", "-b", cluster.bootstrap_servers, "--records", "--once"),
            *("-o", str(tmp_path / "none.jsonl")),
        )
    assert (done.returncode, "0 events written" in done.stderr) == (0, True)


class SilentConsumer:
    """A consumer whose cluster never answers; ``is_asked`` tells that it was asked."""

    is_asked = False

    async def describe_topics(self, *_: object) -> None:
        self.is_asked = True
        await asyncio.Event().wait()


def test_it_stops_while_it_waits_for_a_cluster_that_does_not_answer() -> None:
    consumer, kept = SilentConsumer(), Kept()
    reader = RecordReader(None, consumer, kept, GroupFilter(()))  # type: ignore[arg-type]
    asyncio.run(asyncio.wait_for(reader.run(lambda: consumer.is_asked), GUARD_S))
    assert kept.events == []
