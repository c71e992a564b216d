"""Files of events: continued, rotated, and written again after trouble."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from kafka_nextgen.history import file_sink
from kafka_nextgen.history.events import EventKind
from kafka_nextgen.history.file_sink import FileSink, RotatingFile
from kafka_nextgen.history.json_lines import decode_event
from tests.history.making import event, events_in
from tests.support.waiting import GUARD_S, eventually


def rotated(path: Path) -> list[Path]:
    return sorted(each for each in path.parent.iterdir() if each != path)


def log_at(path: Path, *, max_bytes: int = 1 << 20, keep: int = 5, compress: bool = False) -> RotatingFile:
    return RotatingFile(path, max_bytes=max_bytes, keep=keep, compress=compress)


def test_events_come_back_as_they_were_whatever_their_text(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    written = [event(number, reason=text) for number, text in enumerate(["a\nb", "ü\u2028", "half \udc80", '"'])]
    sink = FileSink(path)
    for each in written:
        sink.write(each)
    sink.close(GUARD_S)
    lines = path.read_bytes().split(b"\n")
    assert [decode_event(line) for line in lines[:-1]] == written
    assert lines[-1] == b""


@pytest.mark.parametrize(
    ("before", "torn"), [(b"", 0), (b'{"v":1}\n', 1), (b'{"v":1}\n{"v":1,"at', 2)], ids=["empty", "whole", "torn"]
)
def test_an_existing_file_is_continued_and_a_torn_line_ended(tmp_path: Path, before: bytes, torn: int) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(before)
    assert log_at(path).deliver([event(1)]).written == 1
    lines = path.read_bytes().splitlines()
    assert len(lines) == torn + 1
    assert path.read_bytes().startswith(before)
    assert decode_event(lines[-1]) == event(1)


def test_a_large_file_is_rotated_and_the_newest_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    (tmp_path / "other-20200101T000000000000Z.jsonl").touch()
    (tmp_path / "log-notes.jsonl").touch()
    target = log_at(path, max_bytes=1, keep=3)
    for seq in range(6):
        target.deliver([event(seq)])
    kept = [each for each in rotated(path) if each.name.startswith("log-2")]
    assert [events_in(each) for each in [*kept, path]] == [[event(seq)] for seq in (2, 3, 4, 5)]
    assert {each.name for each in rotated(path)} >= {"other-20200101T000000000000Z.jsonl", "log-notes.jsonl"}


def test_rotated_files_are_compressed_when_that_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    target = log_at(path, max_bytes=1, compress=True)
    for seq in range(3):
        target.deliver([event(seq)])
    assert [each.suffixes[-2:] for each in rotated(path)] == [[".jsonl", ".gz"]] * 2
    assert [events_in(each) for each in [*rotated(path), path]] == [[event(0)], [event(1)], [event(2)]]


def test_a_rotated_file_that_can_t_be_compressed_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", fail)
    path = tmp_path / "log.jsonl"
    target = log_at(path, max_bytes=1, compress=True)
    assert [target.deliver([event(seq)]).written for seq in range(2)] == [1, 1]
    assert [events_in(each) for each in [*rotated(path), path]] == [[event(0)], [event(1)]]
    assert "the cleanup failed" in caplog.text


def test_a_file_that_others_moved_or_deleted_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    target = log_at(path)
    target.deliver([event(1)])
    path.rename(tmp_path / "moved.jsonl")
    target.deliver([event(2)])
    path.unlink()
    target.deliver([event(3)])
    assert events_in(path) == [event(3)]
    assert events_in(tmp_path / "moved.jsonl") == [event(1)]


def test_a_directory_that_is_gone_is_logged_once_and_used_when_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "away" / "log.jsonl"
    sink = FileSink(path)
    with caplog.at_level(logging.WARNING):
        sink.write(event(1))
        eventually("it is logged", lambda: "can't be written" in caplog.text)
        path.parent.mkdir()
        eventually("it is written", lambda: sink.written == 1)
        sink.close(GUARD_S)
    assert events_in(path) == [event(1)]
    assert caplog.text.count("can't be written") == 1
    assert "PosixPath" not in caplog.text


class SmallDisk(file_sink.FileIO):
    """A file on a disk that takes ``room`` more bytes, and then none."""

    room = 0

    def write(self, data: bytes) -> int:  # type: ignore[override]
        if not SmallDisk.room:
            raise OSError(28, "No space left on device")
        some = bytes(data[: SmallDisk.room])
        SmallDisk.room -= len(some)
        return super().write(some)


@pytest.mark.parametrize("more", [0, 1, 10])
def test_a_full_disk_leaves_whole_lines_and_the_rest_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    monkeypatch.setattr(file_sink, "FileIO", SmallDisk)
    path = tmp_path / "log.jsonl"
    target = log_at(path)
    events = [event(seq) for seq in range(1, 4)]
    SmallDisk.room = 1 << 20
    target.deliver([event(0)])
    SmallDisk.room = 2 * path.stat().st_size + more
    delivered = target.deliver(events)
    assert (delivered.written, str(delivered.error)) == (2, "[Errno 28] No space left on device")
    SmallDisk.room = 1 << 20
    assert target.deliver(events[delivered.written :]).written == 1
    assert events_in(path) == [event(0), *events]
    assert path.read_bytes().count(b"\n") == 4


def test_an_event_that_is_no_line_is_refused_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    sink = FileSink(path)
    for each in (event(1), event(2, reason=object()), event(3)):
        sink.write(each)
    sink.close(GUARD_S)
    assert [each.seq for each in events_in(path) if each.kind is EventKind.LAG] == [1, 3]
    assert [(each.seq, each.cause) for each in events_in(path) if each.kind is EventKind.ERROR] == [
        (2, "events dropped")
    ]
    assert sink.dropped == 1


@pytest.mark.parametrize("wrong", [{"max_bytes": 0}, {"keep": -1}, {"capacity": 0}])
def test_numbers_too_small_are_refused(tmp_path: Path, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="or more"):
        FileSink(tmp_path / "log.jsonl", **wrong)  # type: ignore[arg-type]
