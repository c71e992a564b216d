"""Logs as they are found: torn, foreign, compressed, of later versions."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from errno import EACCES
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kafka_nextgen.history import log_reader
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.json_lines import InvalidLine, LineProblem, decode_event, encode_event
from kafka_nextgen.history.log_reader import FILE_GONE, NOT_READ, Problems, read_log
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
    kind=st.sampled_from(EventKind),
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
        (LINE[:-5], LineProblem.TORN),
        ("2026-11-26 INFO joined", LineProblem.FOREIGN),
        ("[1, 2]", LineProblem.FOREIGN),
        ('{"level": "info", "msg": "joined"}', LineProblem.FOREIGN),
        ("[" * 100_000, LineProblem.FOREIGN),
        (LINE.replace("assigned", "teleported"), LineProblem.UNKNOWN_KIND),
        (LINE.replace('"at":1500', '"at":"now"'), LineProblem.BAD_FIELD),
        (LINE.replace('"at":1500', '"at":true'), LineProblem.BAD_FIELD),
        (LINE.replace('"at":1500', '"at":1e3'), LineProblem.BAD_FIELD),
        (LINE.replace('"at":1500', f'"at":{2**63}'), LineProblem.BAD_FIELD),
        (LINE.replace('"group":"g"', '"group":""'), LineProblem.BAD_FIELD),
        (LINE.replace('"group":"g",', ""), LineProblem.BAD_FIELD),
        (LINE.replace("consumer:a", "oracle:a"), LineProblem.BAD_FIELD),
        (LINE.replace("[0,1,2]", '"0-2"'), LineProblem.BAD_FIELD),
        (LINE.replace("[0,1,2]", "[-1]"), LineProblem.BAD_FIELD),
        (LINE.replace('"v":1', '"v":0'), LineProblem.FOREIGN),
        (LINE.replace('"v":1', '"v":true'), LineProblem.FOREIGN),
        (LINE.replace('"at":1500', '"at":1500,"at":9'), LineProblem.BAD_FIELD),
        (LINE.replace('"v":1', '"v":1,"more":{"a":1,"a":1}'), LineProblem.BAD_FIELD),
        (LINE.replace('"at":1500', f'"at":{"9" * 5_000}'), LineProblem.BAD_FIELD),
        (LINE.replace('"v":1', f'"v":1,"more":{"[" * 100_000}{"]" * 100_000}'), LineProblem.FOREIGN),
    ],
)
def test_what_is_no_event_is_refused_with_a_reason(line: str, refusal: LineProblem) -> None:
    found = decode_event(line)
    assert isinstance(found, InvalidLine)
    assert found.problem is refusal
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
    assert str(problems) == "1 x file gone, first b.jsonl"
    with pytest.raises(FileNotFoundError):
        list(read_log([tmp_path / "b.jsonl"], Problems()))


def test_a_file_that_is_rotated_between_listing_and_reading_is_found_again(tmp_path: Path) -> None:
    names = ("a.jsonl", "billing.jsonl", "c.jsonl")
    for number, name in enumerate(names):
        (tmp_path / name).write_text(encode_event(evolve(EVENT, seq=number)) + "\n")
    problems = Problems()
    events = read_log([tmp_path], problems)
    read = [next(events).seq]
    (tmp_path / "billing.jsonl").rename(tmp_path / "billing-20261126T140312345678Z.jsonl")
    (tmp_path / "billing.jsonl").write_text(encode_event(evolve(EVENT, seq=9)) + "\n")
    assert sorted(read + [event.seq for event in events]) == [0, 1, 2, 9]
    assert not problems


def test_a_file_that_another_one_took_the_place_of_is_told(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(f"{LINE}\n")
    problems = Problems()
    events = read_log([tmp_path], problems)
    assert next(events) == EVENT
    (tmp_path / "new").write_text(f"{LINE}\n")
    (tmp_path / "new").replace(tmp_path / "b.jsonl")
    assert list(events) == [EVENT]
    assert problems.counts == {"file gone": 1}


def test_what_is_named_like_a_log_and_can_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text(f"{LINE}\n")
    os.mkfifo(tmp_path / "a.jsonl")
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    (tmp_path / "dangling.jsonl").symlink_to("nowhere")
    assert read(tmp_path) == ([EVENT], {NOT_READ: 2, FILE_GONE: 1})


def test_a_directory_that_leads_back_to_itself_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f"{LINE}\n")
    (tmp_path / "b.jsonl").hardlink_to(tmp_path / "a.jsonl")
    (tmp_path / "c.jsonl").symlink_to("a.jsonl")
    (tmp_path / "up").symlink_to(tmp_path)
    assert read(tmp_path, tmp_path / "up") == ([EVENT], {})


@pytest.mark.parametrize("closed", ["closed", "closed/a.jsonl"])
def test_what_may_not_be_read_in_a_directory_is_told(
    tmp_path: Path, closed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "closed").mkdir()
    for name in ("b.jsonl", "closed/a.jsonl"):
        (tmp_path / name).write_text(f"{LINE}\n")
    _refuse(tmp_path / closed, monkeypatch)
    assert read(tmp_path) == ([EVENT], {NOT_READ: 1})


def _refuse(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system does, but to root as well."""

    def refusing(call: Callable[..., Any]) -> Callable[..., Any]:
        def called(path: str | Path, *more: object, **named: object) -> Any:
            if Path(path) == closed:
                raise PermissionError(EACCES, os.strerror(EACCES), str(path))
            return call(path, *more, **named)

        return called

    monkeypatch.setattr(os, "scandir", refusing(os.scandir))
    monkeypatch.setattr(Path, "open", refusing(Path.open))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_line_that_is_too_long_is_one_problem_and_its_parts_are_no_events(
    tmp_path: Path, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_reader, "MAX_LINE_BYTES", len(LINE))
    long = "x" * len(LINE)
    text = f"{LINE}\n{long}{LINE}\n{long}x{LINE}\n{long}{LINE}{LINE}{LINE}\n{LINE}\n{long}{LINE}"
    (tmp_path / "a.jsonl").write_bytes(pack(text.encode()))
    assert read(tmp_path) == ([EVENT, EVENT], {"foreign": 4})
