"""``kafka-nextgen history follow``: what it makes of events, draws, and where it reads them."""

from __future__ import annotations

import asyncio
import gzip
import io
import os
from contextlib import aclosing
from pathlib import Path

import pytest
from rich.console import Console

from kafka_nextgen import GroupAdmin, TopicPartition
from kafka_nextgen.cli.following.group_views import GroupView, GroupViews, event_text
from kafka_nextgen.cli.following.screen import open_screen
from kafka_nextgen.cli.following.sources import Source, file_events
from kafka_nextgen.collecting import TopicSink
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.json_lines import encode_event
from kafka_nextgen.history.log_reader import MAX_LINE_BYTES
from kafka_nextgen.testing import Cluster
from kafka_nextgen.types import format_partitions
from tests.cli.running import Running, kafka_nextgen, running
from tests.history.making import event
from tests.support.waiting import GUARD_S


def story(*steps: tuple[EventKind, dict[str, object]]) -> list[Event]:
    return [event(seq, kind=kind, **fields) for seq, (kind, fields) in enumerate(steps)]


def one(member: str, epoch: int, *partitions: int) -> dict[str, object]:
    return {"member": member, "epoch": epoch, "topic": "t", "partitions": partitions}


JOINED = (EventKind.JOINED, {"member": "a", "client": "app", "epoch": 1})
EPOCH_1 = (EventKind.GROUP_EPOCH, {"epoch": 1})
EPOCH_2 = (EventKind.GROUP_EPOCH, {"epoch": 2, "member": "b"})
OWNS, GIVES = (EventKind.ASSIGNED, one("a", 1, 0, 1)), (EventKind.REVOKED, one("a", 1, 1))
COMES = (EventKind.ASSIGNED, {"member": "a", "epoch": 2})
AWAY, FAILED = (EventKind.ERROR, {"cause": "NoBrokersError"}), (EventKind.ERROR, {"member": "a", "cause": "X"})

STORIES: dict[str, tuple[list[tuple[EventKind, dict[str, object]]], str, dict[str, str]]] = {
    "stable": ([JOINED, EPOCH_1, OWNS], "stable", {"a": "t[0-1]"}),
    "a member is behind": ([JOINED, EPOCH_1, OWNS, EPOCH_2], "rebalancing", {"a": "t[0-1]"}),
    "it comes to the epoch": ([JOINED, EPOCH_1, OWNS, EPOCH_2, GIVES, COMES], "stable", {"a": "t[0]"}),
    "partitions are lost": ([JOINED, EPOCH_1, OWNS, (EventKind.LOST, one("a", 1, 0, 1))], "stable", {"a": "-"}),
    "all left": ([JOINED, EPOCH_1, OWNS, (EventKind.LEFT, {"member": "a"})], "empty", {}),
    "one was put out": ([JOINED, EPOCH_1, (EventKind.FENCED, {"member": "a"})], "empty", {}),
    "it can't be looked at": ([JOINED, EPOCH_1, AWAY], "NoBrokersError", {"a": "-"}),
    "a member has an error": ([JOINED, EPOCH_1, FAILED], "stable", {"a": "-"}),
}


@pytest.mark.parametrize("what", STORIES)
def test_a_group_is_what_its_events_come_to(what: str) -> None:
    steps, state, owners = STORIES[what]
    view = GroupView("c1", "billing")
    for each in story(*steps):
        view.add(each)
    assert view.state == state
    assert {name: format_partitions(member.owned) for name, member in view.members.items()} == owners


def test_lag_is_of_what_is_known_and_goes_down_with_commits() -> None:
    view = GroupView("c1", "billing")
    lag = {"topic": "t", "partitions": (0,), "offset": 4, "end": 10}
    assert view.lag_of(view.ends) is None
    for each in story((EventKind.LAG, lag), (EventKind.COMMITTED, {"topic": "t", "partitions": (1,), "offset": 3})):
        view.add(each)
    assert view.lag_of(view.ends) == 6
    view.add(event(9, kind=EventKind.COMMITTED, topic="t", partitions=(0,), offset=9))
    assert view.lag_of(view.ends) == 1


def test_what_retention_deleted_is_no_lag() -> None:
    view = GroupView("c1", "billing")
    view.add(event(1, kind=EventKind.LAG, topic="t", partitions=(0,), offset=10, start=90, end=100))
    assert view.lag_of(view.ends) == 10


def test_groups_in_trouble_come_first_and_clusters_are_apart() -> None:
    board = GroupViews()
    for each in story(JOINED, EPOCH_1, OWNS):
        board.add(each)
    for seq, (cluster, group) in enumerate([("c2", "a"), ("c1", "a"), ("c1", "b")]):
        board.add(event(seq, group=group, cluster=cluster))
    board.add(event(9, group="late", kind=EventKind.ERROR, cause="NoBrokersError"))
    assert [(view.cluster, view.group) for view in board.views()] == [
        ("c1", "late"),
        ("c1", "billing"),
        ("c1", "a"),
        ("c2", "a"),
        ("c1", "b"),
    ]


def test_an_event_is_a_line_without_control_characters() -> None:
    told = event_text(event(1, kind=EventKind.ASSIGNED, cause="x\x1b[2J", at=1_764_165_792_345, **one("a", 3, 0, 1)))
    assert told == "2025-11-26 14:03:12.345  billing  assigned  a  epoch 3  t[0-1]  x\\x1b[2J"
    assert event_text(event(1, at=1 << 62)).startswith(str(1 << 62))


def drawn(events: list[Event], width: int = 100, height: int = 30) -> str:
    """What a terminal shows of these events."""
    out, board = io.StringIO(), GroupViews()
    for each in events:
        board.add(each)
    with open_screen(Console(file=out, force_terminal=True, width=width, height=height)) as screen:
        screen.show(board, events)
    return out.getvalue()


def test_a_terminal_shows_groups_members_and_news() -> None:
    shown = drawn(story(JOINED, EPOCH_1, OWNS, EPOCH_2))
    for text in ("billing", "rebalancing", "app a", "behind", "t[0-1]", "group epoch"):
        assert text in shown


def test_a_narrow_terminal_shows_the_state_and_the_lag() -> None:
    member, topic = "2751fe7c-571d-486f-a38c-d026025ddf07", "orders-of-a-shop"
    events = story(
        (EventKind.JOINED, {"member": member, "client": "worker-with-a-long-name", "epoch": 2}),
        (EventKind.GROUP_EPOCH, {"epoch": 3}),
        (EventKind.ASSIGNED, {"member": member, "epoch": 2, "topic": topic, "partitions": tuple(range(0, 40, 2))}),
        (EventKind.LAG, {"topic": topic, "partitions": (0,), "offset": 0, "end": 1_234_567}),
    )
    shown = drawn(events, width=80)
    (row,) = [line for line in shown.splitlines() if "worker-with" in line][:1]
    assert "behind" in row
    assert "1,234,567" in row
    assert "rebalancing" in shown


def test_a_terminal_that_is_too_low_says_what_it_leaves_out() -> None:
    assert "and 42 more lines" in drawn([event(seq, group=f"g{seq}") for seq in range(50)], height=20)


def test_a_pipe_gets_a_line_for_each_event() -> None:
    out = io.StringIO()
    with open_screen(Console(file=out, width=20)) as screen:
        screen.show(GroupViews(), story(JOINED, EPOCH_1))
    assert len(out.getvalue().splitlines()) == 2


def test_a_pipe_gets_names_as_they_are_even_if_they_look_like_markup() -> None:
    out = io.StringIO()
    with open_screen(Console(file=out)) as screen:
        screen.show(GroupViews(), [event(1, group="[bold]", cause="[/x]")])
    assert "  [bold]  " in out.getvalue()
    assert "  [/x]\n" in out.getvalue()


def line(seq: int) -> bytes:
    return encode_event(event(seq)).encode() + b"\n"


async def next_seqs(source: Source) -> list[int]:
    return [each.seq for each in await anext(source) if isinstance(each, Event)]


def test_a_file_is_followed_over_torn_lines_and_rotation(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(line(0) + line(1)[:20])

    async def follow() -> list[list[int]]:
        taken = []

        async def take() -> None:
            taken.append(await next_seqs(source))

        async with aclosing(file_events(path)) as source:
            await take()
            with path.open("ab") as file:
                file.write(line(1)[20:] + b"no event\n")
            await take()
            with path.open("ab") as file:
                file.write(line(2))
            path.rename(tmp_path / "log-old.jsonl")
            await take()
            await take()
            path.write_bytes(line(3) + line(4))
            await take()
            await take()
            path.write_bytes(line(5))
            await take()
            await take()
        return taken

    assert asyncio.run(follow()) == [[0], [1], [2], [], [], [3, 4], [], [5]]


def test_a_topic_that_is_no_topic_is_not_obeyed_by_a_terminal() -> None:
    told = event(1, kind=EventKind.ASSIGNED, **{**one("a", 1, 0), "topic": "t\x1b]0;title\x07"})
    assert "\x1b]0;" not in drawn([told])


def test_what_can_not_be_followed_is_refused(tmp_path: Path) -> None:
    async def enter(path: Path) -> None:
        async with aclosing(file_events(path)) as source:
            await anext(source)

    pipe, packed = tmp_path / "pipe", tmp_path / "log.jsonl.gz"
    os.mkfifo(pipe)
    packed.write_bytes(gzip.compress(line(0)))
    for path, why in ((pipe, "it is not a file"), (Path("/dev/zero"), "it is not a file"), (packed, "compressed")):
        with pytest.raises(ConfigError, match=why):
            asyncio.run(enter(path))


def test_a_line_without_end_is_not_kept_and_what_is_no_event_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"x" * (3 * MAX_LINE_BYTES // 2) + b"\n" + line(1) + b"torn")

    async def follow() -> tuple[list[int], int]:
        async with aclosing(file_events(path)) as source:
            found = [each for _ in range(26) for each in await anext(source)]
            path.write_bytes(line(2))
            found += [each for _ in range(3) for each in await anext(source)]
            seen = [each.seq for each in found if isinstance(each, Event)]
            return seen, len(found) - len(seen)

    assert asyncio.run(follow()) == ([1, 2], 2)


# The command.


def read_until(process: Running, *words: str) -> str:
    while told := process.line():
        if all(word in told for word in words):
            return told
    raise AssertionError(f"it ended without a line with {words}")


def test_a_file_is_followed_by_the_command(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(line(0))
    with running("history", "follow", str(path), "--group", "billing") as process:
        read_until(process, "billing", "lag")
        with path.open("ab") as file:
            file.write(encode_event(event(1, group="other", kind=EventKind.ERROR)).encode() + b"\n")
            file.write(encode_event(event(2, kind=EventKind.LEFT, member="gone")).encode() + b"\n")
        assert "other" not in read_until(process, "gone")


def test_a_topic_and_a_cluster_are_followed(cluster: Cluster) -> None:
    cluster.create_topic("events", 2)
    follow = ("history", "follow", "-b", cluster.bootstrap_servers)
    with running(*follow, "--topic", "events") as process:
        sink = TopicSink(bootstrap_servers=cluster.bootstrap_servers, topic="events")
        sink.write(event(1, kind=EventKind.LEFT, member="gone"))
        sink.close(GUARD_S)
        read_until(process, "billing", "left", "gone")
    with running(*follow, "--interval", "0.2", "--pattern", "live.*") as process:
        with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            admin.alter_offsets("live", {TopicPartition("events", 0): 0})
        read_until(process, "live", "committed", "events[0]", "offset 0")


def test_a_topic_that_is_not_there_is_told(cluster: Cluster) -> None:
    done = kafka_nextgen("history", "follow", "-b", cluster.bootstrap_servers, "--topic", "nothing.here")
    assert done.returncode == 1
    assert "topic nothing.here does not exist" in done.stderr
