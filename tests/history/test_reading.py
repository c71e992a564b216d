"""Logs as they are found: torn, foreign, compressed, of later versions."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.history.events import Event, Kind
from kafka_nextgen.history.lines import NotAnEvent, Refusal, decode_event, encode_event
from kafka_nextgen.history.reading import Problems, read_log
from tests.history.story import story

EVENT = story("1.5 consumer:a assigned A @3 orders[0-2] cause=joined")[0]
LINE = encode_event(EVENT)


def test_a_line_has_the_fields_that_are_known() -> None:
    assert json.loads(LINE) == {
        "v": 1, "at": 1500, "seq": 1, "source": "consumer:a", "cluster": "c", "group": "g", "kind": "assigned",
        "member": "A", "epoch": 3, "topic": "orders", "partitions": [0, 1, 2], "cause": "joined",
    }  # fmt: skip


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
LONGS = st.integers(-(2**63), 2**63 - 1)
COUNTS = st.integers(0, 2**63 - 1)
EVENTS = st.builds(
    Event,
    at=COUNTS,
    seq=COUNTS,
    source=TEXTS.map(lambda name: f"poller:{name}"),
    cluster=TEXTS,
    group=TEXTS.filter(bool),
    kind=st.sampled_from(Kind),
    protocol=st.none() | TEXTS,
    member=st.none() | TEXTS,
    epoch=st.none() | LONGS,
    topic=st.none() | TEXTS,
    partitions=st.none() | st.lists(st.integers(0, 2**31 - 1)).map(tuple),
    offset=st.none() | LONGS,
    ms=st.none() | COUNTS,
    reason=st.none() | TEXTS,
)


@given(EVENTS)
def test_what_is_written_is_read(event: Event) -> None:
    line = encode_event(event)
    assert decode_event(line) == event
    assert "\n" not in line


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        (LINE[:-5], Refusal.TORN),
        ("2026-11-26 INFO joined", Refusal.FOREIGN),
        ("[1, 2]", Refusal.FOREIGN),
        ('{"level": "info", "msg": "joined"}', Refusal.FOREIGN),
        ("[" * 100_000, Refusal.FOREIGN),
        (LINE.replace("assigned", "teleported"), Refusal.UNKNOWN_KIND),
        (LINE.replace('"at":1500', '"at":"now"'), Refusal.BAD_FIELD),
        (LINE.replace('"at":1500', '"at":true'), Refusal.BAD_FIELD),
        (LINE.replace('"at":1500', '"at":1e3'), Refusal.BAD_FIELD),
        (LINE.replace('"at":1500', f'"at":{2**63}'), Refusal.BAD_FIELD),
        (LINE.replace('"group":"g"', '"group":""'), Refusal.BAD_FIELD),
        (LINE.replace('"group":"g",', ""), Refusal.BAD_FIELD),
        (LINE.replace("consumer:a", "oracle:a"), Refusal.BAD_FIELD),
        (LINE.replace("[0,1,2]", '"0-2"'), Refusal.BAD_FIELD),
        (LINE.replace("[0,1,2]", "[-1]"), Refusal.BAD_FIELD),
        (LINE.replace('"v":1', '"v":0'), Refusal.FOREIGN),
        (LINE.replace('"v":1', '"v":true'), Refusal.FOREIGN),
        (LINE.replace('"at":1500', '"at":1500,"at":9'), Refusal.BAD_FIELD),
        (LINE.replace('"v":1', '"v":1,"more":{"a":1,"a":1}'), Refusal.BAD_FIELD),
        (LINE.replace('"at":1500', f'"at":{"9" * 5_000}'), Refusal.BAD_FIELD),
        (LINE.replace('"v":1', f'"v":1,"more":{"[" * 9_000}{"]" * 9_000}'), Refusal.FOREIGN),
    ],
)
def test_what_is_no_event_is_refused_with_a_reason(line: str, refusal: Refusal) -> None:
    found = decode_event(line)
    assert isinstance(found, NotAnEvent)
    assert found.refusal is refusal
    assert len(found.text) <= 200


def read(*paths: Path) -> tuple[list[Event], dict[str, int]]:
    problems = Problems()
    return list(read_log(paths, problems)), problems.counts


def test_reading_goes_on_behind_what_is_no_event(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    log.write_bytes(f"{LINE}\nhello\n\n\xff\n{LINE}\n{LINE[:20]}".encode("latin-1"))
    events, problems = read(log)
    assert events == [EVENT, EVENT]
    assert problems == {"foreign": 2, "torn": 1}


def test_a_log_in_utf_16_is_told_as_such_in_all_its_lines(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    log.write_bytes(f"{LINE}\n{LINE}\n".encode("utf-16-le"))
    assert read(log) == ([], {"torn": 1, "foreign": 2})
    log.write_text(LINE, encoding="utf-8-sig")
    assert read(log) == ([EVENT], {})


def test_a_later_version_is_read_and_told(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    log.write_text(LINE.replace('"v":1', '"v":2,"colour":"red"') + "\n")
    events, problems = read(log)
    assert [(event.member, event.v) for event in events] == [("A", 2)]
    assert problems == {"later version": 1}


def test_directories_rotated_and_compressed_logs(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.jsonl").write_text(LINE + "\n")
    (tmp_path / "a.jsonl.1").write_text(LINE + "\n")
    (tmp_path / "deep" / "b.jsonl.gz").write_bytes(gzip.compress(f"{LINE}\n".encode()))
    (tmp_path / "README.md").write_text("not a log")
    assert read(tmp_path) == ([EVENT] * 3, {})
    assert read(tmp_path / "a.jsonl", tmp_path) == ([EVENT] * 3, {}), "each file once"


def test_compression_that_ends_in_the_middle_gives_what_is_before(tmp_path: Path) -> None:
    whole = gzip.compress("".join(f'{LINE[:-1]},"x":{n}}}\n' for n in range(5_000)).encode())
    log = tmp_path / "a.jsonl.gz"
    log.write_bytes(whole[: len(whole) // 2])
    events, problems = read(log)
    assert 0 < len(events) < 5_000
    assert problems.keys() >= {"torn gzip"}


def test_a_log_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.jsonl")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_pipe_is_read_once(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    reading, writing = os.pipe()
    os.write(writing, pack(f"{LINE}\n".encode()))
    os.close(writing)
    problems = Problems()
    assert list(read_log([Path(f"/dev/fd/{reading}")], problems)) == [EVENT]
    assert not problems
    os.close(reading)


def test_a_device_that_never_ends_is_refused() -> None:
    with pytest.raises(OSError, match="/dev/zero is a device"):
        list(read_log([Path("/dev/zero")], Problems()))
    assert list(read_log([Path(os.devnull)], Problems())) == []


def test_a_file_that_is_rotated_away_meanwhile_is_counted(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl", "c.jsonl"):
        (tmp_path / name).write_text(f"{LINE}\n")
    problems = Problems()
    events = read_log([tmp_path], problems)
    assert next(events) == EVENT
    (tmp_path / "b.jsonl").unlink()
    assert list(events) == [EVENT]
    assert str(problems) == "1 x file gone, first b.jsonl: No such file or directory"
    with pytest.raises(FileNotFoundError):
        list(read_log([tmp_path / "b.jsonl"], Problems()))
