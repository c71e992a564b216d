"""Offsets of a group by time, by shift, by file and of whole topics: the plan, and what ``--execute`` commits."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from attrs import frozen
from click.testing import CliRunner

from kafka_nextgen import GroupAdmin, GroupAuthorizationError, OffsetReset, ShiftBy, TopicPartition, UnknownTopicError
from kafka_nextgen.admin import CURRENT, OffsetTarget
from kafka_nextgen.cli.main import cli
from kafka_nextgen.codes import ErrorCode
from tests.admin.conftest import Scene, groups
from tests.support.clients import create_topic, delete_records, quick_producer, stored_offsets, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S

#: Record N of partition 0 is N hours later than this. Partition 1 is empty.
MIDNIGHT = datetime(2021, 9, 21, tzinfo=timezone.utc)
RECORDS = 10
GONE = 2


@frozen
class Hourly:
    """A topic with a record of each hour in its first partition, of which the first two are deleted."""

    servers: str
    topic: str

    @property
    def full(self) -> TopicPartition:
        return TopicPartition(self.topic, 0)

    @property
    def empty(self) -> TopicPartition:
        return TopicPartition(self.topic, 1)


@pytest.fixture(scope="module")
def hourly(kafka: KafkaServer) -> Hourly:
    topic = create_topic(kafka.bootstrap_servers, "hourly", 2, {"retention.ms": "-1"})
    producer = quick_producer(kafka.bootstrap_servers)
    for hour in range(RECORDS):
        at_ms = round((MIDNIGHT + timedelta(hours=hour)).timestamp() * 1000)
        producer.produce(topic, value=b"%d" % hour, partition=0, timestamp=at_ms)
    assert producer.flush(GUARD_S) == 0
    delete_records(kafka.bootstrap_servers, topic, GONE)
    return Hourly(kafka.bootstrap_servers, topic)


@pytest.fixture
def group(admin: GroupAdmin, hourly: Hourly) -> str:
    """A group that has read five records of the first partition."""
    name = unique("reset")
    admin.alter_offsets(name, {hourly.full: 5}).all()
    return name


@pytest.mark.parametrize(
    ("target", "offset", "note"),
    [
        (OffsetReset.EARLIEST, GONE, None),
        (OffsetReset.LATEST, RECORDS, None),
        (CURRENT, 5, None),
        (7, 7, None),
        (1, GONE, "this record no longer exists: using the beginning"),
        (11, RECORDS, "no record has this offset yet: using the end"),
        (ShiftBy(2), 7, None),
        (ShiftBy(-2), 3, None),
        (ShiftBy(-9), GONE, "this record no longer exists: using the beginning"),
        (MIDNIGHT + timedelta(hours=6), 6, None),
        (MIDNIGHT + timedelta(hours=6, minutes=1), 7, None),
        (MIDNIGHT - timedelta(days=1), GONE, None),
        (MIDNIGHT.replace(year=1969), GONE, None),
        (MIDNIGHT + timedelta(days=1), RECORDS, "no record is this recent: using the end"),
        (timedelta(days=20_000), GONE, None),
        (timedelta(0), RECORDS, "no record is this recent: using the end"),
    ],
    ids=str,
)
def test_a_plan_says_where_a_partition_would_continue(
    admin: GroupAdmin, hourly: Hourly, group: str, target: OffsetTarget, offset: int, note: str | None
) -> None:
    planned = admin.plan_offsets(group, {hourly.full: target})[hourly.full]
    assert (planned.offset, planned.note, planned.error) == (offset, note, None)
    assert (planned.committed.offset, planned.start_offset, planned.end_offset) == (5, GONE, RECORDS)
    assert stored_offsets(hourly.servers, group) == {0: 5}, "it is only a plan"


def test_a_topic_is_all_of_its_partitions_and_a_partition_takes_precedence(
    admin: GroupAdmin, hourly: Hourly, group: str
) -> None:
    plan = admin.plan_offsets(group, {hourly.full: 3, hourly.topic: OffsetReset.LATEST})
    assert {tp: planned.offset for tp, planned in plan.items()} == {hourly.full: 3, hourly.empty: 0}


def test_a_partition_without_a_commit_is_not_shifted_and_its_current_offset_is_the_end(
    admin: GroupAdmin, hourly: Hourly
) -> None:
    nobody = unique("nobody")
    planned = admin.plan_offsets(nobody, {hourly.full: ShiftBy(-1)})[hourly.full]
    assert planned.offset is None
    assert str(planned.error) == f"{hourly.full} can't be shifted: the group has no committed offset there"
    planned = admin.plan_offsets(nobody, {hourly.full: CURRENT})[hourly.full]
    assert (planned.offset, planned.note) == (RECORDS, "no committed offset: using the end")


@pytest.mark.parametrize("committed", [GONE - 1, RECORDS + 1])
def test_the_current_offset_is_kept_even_outside_the_log(admin: GroupAdmin, hourly: Hourly, committed: int) -> None:
    name = unique("outside")
    admin.alter_offsets(name, {hourly.full: committed}).all()
    planned = admin.plan_offsets(name, {hourly.full: CURRENT})[hourly.full]
    assert (planned.offset, planned.note) == (committed, None)


def test_a_partition_that_does_not_exist_has_an_error_and_a_topic_raises_one(admin: GroupAdmin, hourly: Hourly) -> None:
    group, nowhere = unique("g"), TopicPartition(hourly.topic, 9)
    plan = admin.plan_offsets(group, {hourly.full: 3, nowhere: 3})
    assert (plan[hourly.full].offset, plan[nowhere].offset) == (3, None)
    assert "UNKNOWN_TOPIC_OR_PARTITION" in str(plan[nowhere].error)
    with pytest.raises(UnknownTopicError, match="there is no topic nothing"):
        admin.plan_offsets(group, {"nothing": 3})


@pytest.mark.parametrize(
    ("targets", "error", "complaint"),
    [
        ({}, ValueError, "there are no offsets to plan"),
        ({1: 2}, TypeError, "targets are for topics"),
        ({"t": "yesterday"}, TypeError, "a target is an offset, .* not 'yesterday'"),
        ({"t": True}, TypeError, "a target is"),
        ({"t": -1}, ValueError, "-1 is not a position"),
        ({"t": timedelta(-1)}, ValueError, "is not a position"),
        ({"t": OffsetReset.NONE}, ValueError, "is not a position"),
        ({"t": datetime(2026, 1, 1)}, TypeError, "has no time zone"),
    ],
)
def test_what_is_no_target_is_refused(
    admin: GroupAdmin, targets: dict[str, OffsetTarget], error: type[Exception], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        admin.plan_offsets("g", targets)


# ---- the command


def test_a_reset_is_shown_and_then_executed(hourly: Hourly, group: str) -> None:
    reset = ("offsets", group, "--topic", hourly.topic, "--to-datetime", "2021-09-21T06:00")
    done = groups(hourly.servers, *reset)
    assert [line.split(maxsplit=5) for line in done.stdout.splitlines()] == [
        ["PARTITION", "COMMITTED", "NEW", "START", "END", "NOTE"],
        [f"{hourly.topic}[0]", "5", "6", str(GONE), str(RECORDS), "-"],
        [f"{hourly.topic}[1]", "-", "0", "0", "0", "no record is this recent: using the end"],
    ]
    assert done.stderr == "This is a plan: nothing was changed. Repeat the command with --execute to apply it.\n"
    assert stored_offsets(hourly.servers, group) == {0: 5}
    done = groups(hourly.servers, *reset, "--execute")
    assert (done.exit_code, done.stderr) == (0, "")
    assert stored_offsets(hourly.servers, group) == {0: 6, 1: 0}


@pytest.mark.parametrize(
    ("options", "offset"),
    [
        (["--to-earliest"], GONE),
        (["--to-latest"], RECORDS),
        (["--to-current"], 5),
        (["--to-offset", "7"], 7),
        (["--shift-by", "-1"], 4),
        (["--by-duration", "P20000D"], GONE),
        (["--by-duration", "480000h"], GONE),
    ],
    ids=lambda options: str(options),
)
def test_each_way_to_reset_is_executed_for_all_that_is_committed(
    hourly: Hourly, group: str, options: list[str], offset: int
) -> None:
    done = groups(hourly.servers, "offsets", group, "--all-topics", *options, "--execute")
    assert (done.exit_code, stored_offsets(hourly.servers, group)) == (0, {0: offset}), done.stderr


def test_offsets_are_exported_and_restored_from_a_file(hourly: Hourly, group: str, tmp_path: Path) -> None:
    done = groups(hourly.servers, "offsets", group, "--all-topics", "--to-current", "--export")
    assert (done.stdout, done.stderr) == (f"{hourly.topic},0,5\n", "")
    file = tmp_path / "offsets.csv"
    file.write_text(done.stdout + "\n")
    groups(hourly.servers, "offsets", group, "--all-topics", "--to-latest", "--execute")
    assert stored_offsets(hourly.servers, group) == {0: RECORDS}
    groups(hourly.servers, "offsets", group, "--from-file", str(file), "--execute")
    assert stored_offsets(hourly.servers, group) == {0: 5}


def test_a_file_may_be_about_several_groups(hourly: Hourly, group: str, tmp_path: Path) -> None:
    file = tmp_path / "offsets.csv"
    file.write_text(f"{group}, {hourly.topic}, 0, 8\nother, {hourly.topic}, 0, 9\n")
    groups(hourly.servers, "offsets", group, "--from-file", str(file), "--execute")
    assert stored_offsets(hourly.servers, group) == {0: 8}


def test_a_plan_is_json_of_values(hourly: Hourly, group: str) -> None:
    done = groups(hourly.servers, "offsets", group, "--topic", f"{hourly.topic}[0]", "--to-offset", "1", "--json")
    assert json.loads(done.stdout) == [
        {
            "topic": hourly.topic,
            "partition": 0,
            "committed": 5,
            "new": GONE,
            "start_offset": GONE,
            "end_offset": RECORDS,
            "note": "this record no longer exists: using the beginning",
            "error": None,
        }
    ]


def test_what_can_be_reset_is_and_the_rest_fails(hourly: Hourly, group: str) -> None:
    done = groups(hourly.servers, "offsets", group, "--topic", hourly.topic, "--shift-by", "1", "--execute")
    assert done.exit_code == 1
    assert f"Error: {hourly.topic}[1] can't be shifted" in done.stderr
    assert stored_offsets(hourly.servers, group) == {0: 6}


def test_a_group_with_members_is_warned_of_and_not_reset(scene: Scene) -> None:
    reset = ("offsets", scene.consumer_group, "--all-topics", "--to-latest")
    done = groups(scene.kafka.bootstrap_servers, *reset, "--dry-run")
    assert f"Warning: group {scene.consumer_group} has members (2)" in done.stderr
    assert done.exit_code == 0
    done = groups(scene.kafka.bootstrap_servers, *reset, "--execute")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"Error: group {scene.consumer_group} has members (2): stop them, or remove them, first\n"


def test_a_plan_for_a_new_group_warns_of_nothing_and_one_whose_members_are_unknown_says_so(
    hourly: Hourly, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = ("offsets", unique("new"), "--topic", hourly.topic, "--to-latest")
    assert "Warning" not in groups(hourly.servers, *plan).stderr

    def members(*_: object) -> None:
        raise GroupAuthorizationError("not allowed", code=ErrorCode.GROUP_AUTHORIZATION_FAILED)

    monkeypatch.setattr(GroupAdmin, "members", members)
    done = groups(hourly.servers, *plan)
    assert "has members, which would make a reset fail: not allowed" in done.stderr
    assert (done.exit_code, done.stdout.startswith("PARTITION")) == (0, True)


def test_a_group_that_has_committed_nothing_has_no_topics(hourly: Hourly, scene: Scene) -> None:
    done = groups(hourly.servers, "offsets", unique("nobody"), "--all-topics", "--to-latest")
    assert (done.exit_code, "GROUP_ID_NOT_FOUND" in done.stderr) == (1, True)
    done = groups(hourly.servers, "offsets", scene.classic_group, "--all-topics", "--to-latest")
    assert (done.exit_code, "has no committed offsets: name topics with --topic" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--topic", "t"], "specify the new position, for example with --to-earliest"),
        (["--execute"], "specify the new position, for example with --to-earliest"),
        (["--to-latest"], "specify the partitions: --topic TOPIC"),
        (["--to-latest", "--topic", "t", "--all-topics"], "specify the partitions"),
        (["--to-latest", "--to-offset", "0", "--topic", "t"], "specify the new position with only one option"),
        (["--to-latest", "--topic", "t", "--execute", "--dry-run"], "exclude each other"),
        (["--to-latest", "--topic", "t", "--delete", "t[0]"], "use two commands"),
        (["--set", "t[0]=1", "--dry-run"], "--set and --delete can't be combined with a reset"),
        (["--set", "t[0]=1", "--export"], "--set and --delete can't be combined with a reset"),
        (["--dry-run"], "specify the new position"),
        (["--from-file", "FILE", "--topic", "t"], "--from-file contains partitions and offsets"),
        (["--from-file", "FILE"], "line 2: write TOPIC,PARTITION,OFFSET, not 't,0'"),
        (["--to-latest", "--topic", "t", "--export", "--json"], "use only one of them"),
        (["--to-latest", "--topic", "t[0"], "is not a set of partitions"),
        (["--to-latest", "--topic", "t[]"], "--topic t[] has no partitions"),
        (["--to-offset", "-1", "--topic", "t"], "-1"),
        (["--to-datetime", "yesterday", "--topic", "t"], "'yesterday' is not a time"),
        (["--to-datetime", "20261126", "--topic", "t"], "Write a date as 2026-11-26"),
        (["--by-duration", "soon", "--topic", "t"], "must be a duration such as PT1H30M"),
        (["--by-duration", "2021-09-21", "--topic", "t"], "must be a duration such as PT1H30M"),
    ],
)
def test_what_says_too_little_or_too_much_exits_with_2(options: list[str], complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "offsets.csv"
    file.write_text("t,1,2\nt,0\n")
    given = [str(file) if option == "FILE" else option for option in options]
    done = CliRunner().invoke(cli, ["groups", "offsets", "g", *given])
    assert (done.exit_code, complaint in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [("t,0,1\nt,0,2\n", "line 2: t[0] has an offset already"), ("other,t,0,1\n", "has no offsets for group g")],
)
def test_a_file_that_says_it_twice_or_not_at_all_is_refused(lines: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "offsets.csv"
    file.write_text(lines)
    done = CliRunner().invoke(cli, ["groups", "offsets", "g", "--from-file", str(file)])
    assert (done.exit_code, complaint in done.stderr) == (2, True), done.stderr


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "offsets.csv"
    file.write_bytes(b"orders,0,\xff\n")
    done = CliRunner().invoke(cli, ["groups", "offsets", "g", "--from-file", str(file)])
    assert (done.exit_code, "offsets.csv is not UTF-8" in done.stderr) == (2, True), done.stderr
