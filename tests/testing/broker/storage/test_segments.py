"""A log in files: what is there again after the broker ended, at whatever moment it did."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from stat import S_ISDIR

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.errors import StorageError
from kafka_nextgen.testing.broker.log import PartitionLog
from kafka_nextgen.testing.broker.storage import files
from kafka_nextgen.wire.records import read_batches
from tests.support.descriptors import open_descriptors
from tests.support.examples import examples
from tests.testing.broker.storage.batches import batch, log_on, scratch, segment_names, values_in

ONE_BATCH = batch("a").header.size

contents = st.lists(st.integers(1, 3), min_size=1, max_size=12)  # how many records each batch has
segment_sizes = st.sampled_from([1, 2 * ONE_BATCH, 5 * ONE_BATCH, 2**30])


def written(data_dir: Path, sizes: list[int], segment_bytes: int) -> list[list[str]]:
    """Append batches of so many records each; return their values, batch by batch."""
    log = log_on(data_dir, segment_bytes)
    batches = [[f"{number}.{record}" for record in range(size)] for number, size in enumerate(sizes)]
    for values in batches:
        log.append(batch(*values))
    return batches


def filled(data_dir: Path, values: str, segment_bytes: int = 2**30) -> PartitionLog:
    """A log with a batch of one record for each letter."""
    log = log_on(data_dir, segment_bytes)
    for value in values:
        log.append(batch(value))
    return log


@pytest.mark.skipif(not open_descriptors(), reason="open files are told by /proc")
def test_no_file_stays_open_after_it_was_written_and_read(tmp_path: Path) -> None:
    assert values_in(filled(tmp_path, "abc", segment_bytes=1)) == ["a", "b", "c"]
    assert [
        file for file in open_descriptors().values() if file.startswith(str(tmp_path)) and file.endswith(".log")
    ] == []


def segments_of(data_dir: Path) -> list[Path]:
    return sorted((data_dir / "orders-0").glob("*.log"))


def is_a_prefix(found: list[str], batches: list[list[str]]) -> bool:
    """Whether these are the values of the first batches, each of them whole."""
    prefixes = [[value for values in batches[:count] for value in values] for count in range(len(batches) + 1)]
    return found in prefixes


@settings(max_examples=examples(50))
@given(contents, segment_sizes)
def test_everything_is_there_again_and_goes_on(sizes: list[int], segment_bytes: int) -> None:
    with scratch() as data_dir:
        batches = written(data_dir, sizes, segment_bytes)
        again = log_on(data_dir, segment_bytes)
        assert values_in(again) == [value for values in batches for value in values]
        assert again.append(batch("next")) == sum(sizes)
        assert values_in(log_on(data_dir, segment_bytes))[-1] == "next"


@settings(max_examples=examples(50))
@given(contents, segment_sizes, st.data())
def test_a_file_that_is_cut_anywhere_leaves_the_batches_before(
    sizes: list[int], segment_bytes: int, data: st.DataObject
) -> None:
    with scratch() as data_dir:
        batches = written(data_dir, sizes, segment_bytes)
        torn = data.draw(st.sampled_from(segments_of(data_dir)))
        size = data.draw(st.integers(0, torn.stat().st_size - 1))
        os.truncate(torn, size)
        again = log_on(data_dir, segment_bytes)
        assert is_a_prefix(values_in(again), batches)
        assert again.end_offset >= int(torn.stem)
        assert again.append(batch("next")) == again.end_offset - 1


@settings(max_examples=examples(50))
@given(contents, segment_sizes, st.data())
def test_a_byte_that_changed_costs_its_batch_and_what_follows(
    sizes: list[int], segment_bytes: int, data: st.DataObject
) -> None:
    with scratch() as data_dir:
        batches = written(data_dir, sizes, segment_bytes)
        damaged = data.draw(st.sampled_from(segments_of(data_dir)))
        content = bytearray(damaged.read_bytes())
        at = data.draw(st.sampled_from(checked_bytes(content)))
        content[at] ^= data.draw(st.integers(1, 255))
        damaged.write_bytes(content)
        again = log_on(data_dir, segment_bytes)
        assert is_a_prefix(values_in(again), batches)
        assert int(damaged.stem) <= again.end_offset < sum(sizes)
        assert values_in(log_on(data_dir, segment_bytes)) == values_in(again)


def checked_bytes(content: bytes) -> list[int]:
    """Where a byte may not change: anywhere but in the leader epochs, which can be any and lie outside the checksum."""
    checked: list[int] = []
    for view in read_batches(content):
        start = checked[-1] + 1 if checked else 0
        checked += [*range(start, start + 12), *range(start + 16, start + view.header.size)]
    return checked


@settings(max_examples=examples(50))
@given(contents, st.binary(min_size=1, max_size=200))
def test_bytes_that_are_no_batch_are_cut_off_the_end(sizes: list[int], tail: bytes) -> None:
    with scratch() as data_dir:
        batches = written(data_dir, sizes, 2**30)
        (segment,) = segments_of(data_dir)
        good = segment.read_bytes()
        segment.write_bytes(good + tail)
        assert values_in(log_on(data_dir)) == [value for values in batches for value in values]
        assert segment.read_bytes() == good


def test_what_is_cut_is_told_with_file_offset_and_bytes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    filled(tmp_path, "abc", 2 * ONE_BATCH)
    first, second = segments_of(tmp_path)
    with first.open("ab") as file:
        file.write(b"torn")
    with caplog.at_level(logging.WARNING):
        log_on(tmp_path, 2 * ONE_BATCH)
    assert [record.getMessage() for record in caplog.records] == [
        f"{second}: deleting all {ONE_BATCH} bytes: the log is truncated at offset 2",
        f"{first}: truncating 4 bytes from byte {2 * ONE_BATCH} on: the batch is longer than the 4 bytes that are "
        "left; the log ends at offset 2",
    ]


def test_nothing_behind_a_missing_segment_is_kept(tmp_path: Path) -> None:
    written(tmp_path, [1, 1, 1], 1)
    segments_of(tmp_path)[1].unlink()
    log = log_on(tmp_path, 1)
    assert (values_in(log), log.end_offset) == (["0.0"], 1)
    assert segment_names(tmp_path) == [f"{0:020}.log"]


def test_a_batch_that_lies_where_another_belongs_ends_the_log(tmp_path: Path) -> None:
    written(tmp_path, [1], 2**30)
    (segment,) = segments_of(tmp_path)
    segment.write_bytes(segment.read_bytes() * 2)
    assert values_in(log_on(tmp_path)) == ["0.0"]


def test_segments_roll_before_they_grow_too_large_and_are_named_after_their_first_offset(tmp_path: Path) -> None:
    log = filled(tmp_path, "abcde", 2 * ONE_BATCH)
    assert segment_names(tmp_path) == [f"{offset:020}.log" for offset in (0, 2, 4)]
    assert values_in(log) == list("abcde")
    assert len(log.read(1, 3 * ONE_BATCH, at_least_one=False)) == 3 * ONE_BATCH


def test_a_log_of_which_nothing_is_left_goes_on_where_it_was(tmp_path: Path) -> None:
    log = filled(tmp_path, "abcde", 2 * ONE_BATCH)
    log.retain(2 * ONE_BATCH)
    for each in (log, log_on(tmp_path)):
        assert (each.start_offset, each.end_offset, values_in(each)) == (2, 5, list("cde"))
    log.retain(0)
    for each in (log, log_on(tmp_path)):
        assert (each.start_offset, each.end_offset, each.size, segment_names(tmp_path)) == (5, 5, 0, [])
    log.close()
    assert log.append(batch("f")) == 5
    assert segment_names(tmp_path) == [f"{5:020}.log"]
    assert values_in(log_on(tmp_path)) == ["f"]


def test_a_segment_that_can_not_be_deleted_leaves_no_hole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = filled(tmp_path, "abcd", 1)
    unlink = Path.unlink

    def stuck(path: Path) -> None:
        if path.name == f"{1:020}.log":
            raise OSError(1, "Operation not permitted")
        unlink(path)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", stuck)
        log.retain(ONE_BATCH)
    assert (log.start_offset, values_in(log)) == (3, ["d"])
    assert values_in(log_on(tmp_path, segment_bytes=1)) == list("bcd")


def test_the_start_that_was_asked_for_is_kept_also_within_a_segment(tmp_path: Path) -> None:
    log = filled(tmp_path, "abcde", 2 * ONE_BATCH)
    for start in range(6):
        log.drop_before(start)
        for each in (log, log_on(tmp_path, 2 * ONE_BATCH)):
            assert (each.start_offset, each.end_offset) == (start, 5)
            assert values_in(each) == list("abcde")[start:]
    assert log.append(batch("f")) == 5


def test_a_log_that_was_cut_before_its_start_begins_again_at_the_start(tmp_path: Path) -> None:
    log = filled(tmp_path, "abc")
    log.drop_before(2)
    os.truncate(segments_of(tmp_path)[0], ONE_BATCH)
    again = log_on(tmp_path)
    assert (again.start_offset, again.end_offset, segment_names(tmp_path)) == (2, 2, [])
    assert again.append(batch("d")) == 2
    assert values_in(log_on(tmp_path)) == ["d"]


def test_an_append_that_fails_leaves_the_log_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = filled(tmp_path, "a")
    pwrite = files.os.pwrite

    def half(fd: int, data: memoryview, at: int) -> int:
        pwrite(fd, data[: len(data) // 2], at)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(files.os, "pwrite", half)
        with pytest.raises(StorageError, match=r"can't write .*00\.log: No space left on device"):
            log.append(batch("b"))
    assert (log.end_offset, segments_of(tmp_path)[0].stat().st_size) == (1, ONE_BATCH)
    assert log.append(batch("c")) == 1
    assert values_in(log_on(tmp_path)) == ["a", "c"]


def test_a_file_that_somebody_else_cut_is_told(tmp_path: Path) -> None:
    log = filled(tmp_path, "a")
    segments_of(tmp_path)[0].write_bytes(b"")
    with pytest.raises(StorageError, match="was truncated externally: only 0 of"):
        log.read(0, 1_000, at_least_one=True)


@pytest.mark.parametrize(("interval", "flushed"), [(1, [1, 2, 3]), (2, [2]), (2**63 - 1, [])])
def test_files_are_flushed_after_so_many_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interval: int, flushed: list[int]
) -> None:
    log = log_on(tmp_path, flush_interval=interval)
    log.append(batch("first"))
    log.close()
    seen: list[int] = []
    monkeypatch.setattr(files.os, "fsync", lambda fd: seen.append(log.end_offset))
    for value in "abc":
        log.append(batch(value))
    assert seen == flushed
    log.close()
    assert bool(len(seen) - len(flushed)) == (flushed != [1, 2, 3])


@pytest.mark.parametrize(("interval", "flushed"), [(1, ["file", "directory"]), (2**63 - 1, [])])
def test_the_name_of_a_new_file_is_flushed_if_its_first_records_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interval: int, flushed: list[str]
) -> None:
    log = log_on(tmp_path, segment_bytes=1, flush_interval=interval)
    log.append(batch("a"))
    seen: list[str] = []
    monkeypatch.setattr(
        files.os, "fsync", lambda fd: seen.append("directory" if S_ISDIR(os.fstat(fd).st_mode) else "file")
    )
    log.append(batch("b"))
    assert seen == flushed
    assert len(segment_names(tmp_path)) == 2
