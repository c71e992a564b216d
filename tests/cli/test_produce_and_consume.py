"""Lines in by ``produce``, lines out by ``consume``, on the embedded broker, both in the process of the test."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kafka_nextgen.cli import consume as command
from kafka_nextgen.cli import produce as producing_command
from kafka_nextgen.cli.main import cli
from kafka_nextgen.testing import Cluster
from tests.support.waiting import GUARD_S


@pytest.fixture
def lines_file(tmp_path: Path) -> Path:
    """What ``produce`` has as its stdin, which is a file that it reads in a thread."""
    return tmp_path / "lines"


def invoke_produce(cluster: Cluster, lines_file: Path, topic: str, lines: str | bytes, *options: str) -> Result:
    lines_file.write_bytes(lines if isinstance(lines, bytes) else lines.encode())
    with lines_file.open("rb") as stdin:
        return CliRunner().invoke(cli, ["produce", topic, "-b", cluster.bootstrap_servers, *options], input=stdin)


def produce(cluster: Cluster, lines_file: Path, topic: str, lines: str | bytes, *options: str) -> None:
    done = invoke_produce(cluster, lines_file, topic, lines, *options)
    assert done.exit_code == 0, done.stderr


def consume(cluster: Cluster, topic: str, group: str, *options: str) -> list[str]:
    fixed = ["-b", cluster.bootstrap_servers, "-g", group, "--from-beginning"]
    done = CliRunner().invoke(cli, ["consume", topic, *fixed, *options])
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_lines_come_back_whatever_they_were_compressed_with(
    cluster: Cluster, lines_file: Path, compression: str
) -> None:
    topic = f"round-{compression}"
    produce(cluster, lines_file, topic, "one\ntwo\nthree\n", "--compression", compression)
    assert sorted(consume(cluster, topic, topic, "--max-messages", "3")) == ["one", "three", "two"]


def test_the_next_consumer_of_the_group_goes_on_where_the_first_stopped(cluster: Cluster, lines_file: Path) -> None:
    produce(cluster, lines_file, "continued", "1\n2\n3\n4\n5\n", "--acks", "1")
    first = consume(cluster, "continued", "readers", "--max-messages", "2")
    second = consume(cluster, "continued", "readers", "--max-messages", "3")
    assert first + second == ["1", "2", "3", "4", "5"]


def test_json_says_where_a_record_is_and_splits_key_from_value(cluster: Cluster, lines_file: Path) -> None:
    produce(cluster, lines_file, "keyed", "color:red:ish\n", "--key-separator", ":")
    (line,) = consume(cluster, "keyed", "keyed", "--max-messages", "1", "--format", "json")
    record = json.loads(line)
    assert record.pop("timestamp") > 0
    assert record.pop("partition") in range(3)
    assert record == {"topic": "keyed", "offset": 0, "key": "color", "value": "red:ish", "headers": []}


def test_json_has_base64_for_what_is_not_text(cluster: Cluster, lines_file: Path) -> None:
    produce(cluster, lines_file, "binary", b"\xff\xfe\n")
    (line,) = consume(cluster, "binary", "binary", "--max-messages", "1", "--format", "json")
    assert json.loads(line)["value_base64"] == "//4="
    assert json.loads(line)["key"] is None


def test_more_lines_than_are_read_ahead_are_all_written(
    cluster: Cluster, lines_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that reads stdin is at most two batches ahead; each batch makes room for the next."""
    monkeypatch.setattr(producing_command, "MAX_BATCH_RECORDS", 2)
    lines = [str(number) for number in range(9)]
    produce(cluster, lines_file, "long", "\n".join(lines))
    assert sorted(consume(cluster, "long", "long", "--max-messages", "9")) == lines


def test_a_line_without_the_separator_is_named(cluster: Cluster, lines_file: Path) -> None:
    done = invoke_produce(cluster, lines_file, "nokey", "a:1\noops\n", "--key-separator", ":")
    assert done.exit_code == 1
    assert "line 2 has no ':'" in done.stderr


def test_the_thread_that_reads_lines_ends_in_silence_once_the_command_has_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failures: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    reading_end, writing_end = os.pipe()

    async def fail() -> None:
        producing_command._LineReader(os.fdopen(reading_end, "rb"))

    asyncio.run(fail())
    (reader,) = (thread for thread in threading.enumerate() if thread.name == "stdin")
    os.write(writing_end, b"a line\n")
    os.close(writing_end)
    reader.join(GUARD_S)
    assert not reader.is_alive()
    assert failures == []


def test_consume_ends_when_nothing_came_for_the_timeout(cluster: Cluster) -> None:
    assert consume(cluster, "empty", "empty", "--timeout", "0.5") == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_consume_cleanly_with_what_was_printed_committed(
    cluster: Cluster, lines_file: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic, print_batch = f"stopped-{number.name.lower()}", command._Printer.print_batch

    def print_and_be_signalled(printer: command._Printer) -> None:
        print_batch(printer)
        if printer.printed == 2:
            signal.raise_signal(number)

    produce(cluster, lines_file, topic, "a\nb\n")
    with monkeypatch.context() as patched:
        patched.setattr(command._Printer, "print_batch", print_and_be_signalled)
        assert sorted(consume(cluster, topic, topic)) == ["a", "b"]
    produce(cluster, lines_file, topic, "c\n")
    assert consume(cluster, topic, topic, "--max-messages", "1") == ["c"]
