"""What the extension in C promises beside its answers: other threads run, nothing is kept, nothing is read past."""

from __future__ import annotations

import sys
import threading
import time
from array import array
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.wire.records import Compression, HeaderColumn, NewRecord, columns, encode_batch
from tests.support.waiting import GUARD_S
from tests.wire.calls_into_c import growth_of, no_turn_for_others
from tests.wire.columns import column_of

pytestmark = pytest.mark.skipif(not ACCELERATED, reason="the decoder was not compiled")

NOTHING_SKIPPED = array("q")
HEADERS = (("trace", b"1"), ("größe", None))
RECORDS = [NewRecord(b"v" * 100, b"k", headers=HEADERS), NewRecord(None)] * 50
BATCH = encode_batch(RECORDS)
LARGE = b"".join(encode_batch([NewRecord(b"v" * 9000)] * 20, base_offset=20 * i) for i in range(20))
DAMAGED = BATCH[:-1] + b"\x07"


def test_it_does_not_claim_to_need_no_gil() -> None:
    """A Python without the GIL switches it on for such a module: SteadyFetch has no other guard (PEP 703)."""
    folder = Path(__file__).parents[2] / "accelerator"
    sources = [path.read_text() for path in folder.iterdir()]
    assert sources
    assert not any("Py_MOD_GIL_NOT_USED" in text for text in sources)


def scan(data: bytes) -> object:
    return accelerator.scan(data, 0, True, NOTHING_SKIPPED)


def decode(data: bytes) -> object:
    return accelerator.decode(data, 0, NOTHING_SKIPPED, ())


@pytest.mark.parametrize("call", [scan, decode])
def test_other_threads_run_while_bytes_are_read(call: Callable[[bytes], object]) -> None:
    may_go = threading.Lock()
    ran: list[bool] = []

    def run() -> None:
        with may_go:
            ran.append(True)

    may_go.acquire()
    thread = threading.Thread(target=run)
    thread.start()
    with no_turn_for_others():
        may_go.release()
        give_up_at = time.monotonic() + GUARD_S
        while not ran and time.monotonic() < give_up_at:
            call(LARGE)
        others_ran = bool(ran)
    thread.join()
    assert others_ran


@pytest.mark.parametrize("data", [BATCH, BATCH[:-1], DAMAGED, b""], ids=["sound", "cut", "damaged", "empty"])
def test_nothing_is_kept_of_what_was_read_or_made_a_list(data: bytes) -> None:
    column = column_of([b"a" * 500, None] * 50)

    def use() -> None:
        scan(data)
        decode(data)
        column.to_list(0, 100)

    assert growth_of(use) < 2_000


def test_the_data_is_let_go_whatever_came_of_it() -> None:
    for data in (bytearray(BATCH), bytearray(DAMAGED)):
        payload = bytearray(b"")
        accelerator.scan(data, 0, True, NOTHING_SKIPPED)
        accelerator.decode(data, 0, NOTHING_SKIPPED, (payload,))
        data.append(0)  # a BufferError as long as somebody holds it
        payload.append(0)


def test_data_that_changes_meanwhile_ends_as_columns_or_as_not_sound() -> None:
    data = bytearray(b"".join(encode_batch(RECORDS, base_offset=100 * i) for i in range(40)))
    is_over = threading.Event()

    def change() -> None:
        place = 0
        while not is_over.is_set():
            place = (place + 7919) % len(data)
            data[place] ^= 0x41
            data[place] ^= 0x41

    thread = threading.Thread(target=change)
    thread.start()
    try:
        kinds = {type(decode(data)) for _ in range(300)}
    finally:
        is_over.set()
        thread.join()
    assert kinds <= {tuple, type(None)}


def test_payloads_have_to_be_as_many_as_there_are_compressed_batches_and_buffers() -> None:
    data = encode_batch([NewRecord(b"v")], Compression.GZIP)
    assert accelerator.decode(data, 0, NOTHING_SKIPPED, ()) is None
    assert accelerator.decode(BATCH, 0, NOTHING_SKIPPED, (b"",)) is None
    with pytest.raises(TypeError):
        accelerator.decode(BATCH, 0, NOTHING_SKIPPED, (BATCH, 3))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["new_buffer", "new_bytearray"])
def test_what_is_no_size_is_an_error(name: str) -> None:
    make = getattr(accelerator, name)
    with pytest.raises(ValueError, match="negative"):
        make(-1)
    with pytest.raises(OverflowError):
        make(1 << 70)
    with pytest.raises(TypeError):
        make("1")


@pytest.mark.parametrize(
    ("data", "wanted", "most", "places"),
    [
        (b"ab--ab", b"ab", 9, [0, 4]),
        (b"ab--ab", b"ab", 1, [0]),
        (b"ab--ab", b"ab", 0, []),
        (b"aaaaa", b"aa", 9, [0, 2]),
        (b"aab", b"ab", 9, [1]),
        (b"a", b"ab", 9, []),
        (b"", b"ab", 9, []),
        (b"-" * 100_000 + b"ab", b"ab", 9, [100_000]),
    ],
)
def test_what_is_looked_for_is_found_from_the_beginning(
    data: bytes, wanted: bytes, most: int, places: list[int]
) -> None:
    assert accelerator.find_all(data, wanted, most) == places


@pytest.mark.parametrize(("wanted", "most"), [(b"", 1), (b"a", -1)])
def test_what_can_not_be_looked_for_is_an_error(wanted: bytes, most: int) -> None:
    with pytest.raises(ValueError, match="must not be"):
        accelerator.find_all(b"abc", wanted, most)


def test_a_run_outside_of_its_column_is_an_error() -> None:
    column, nothing = column_of([b"a", None, b"c"]), column_of([])
    keys, values = column_of([b"trace"]), column_of([b"1"])

    def bounds(*places: int) -> memoryview:
        return memoryview(array("i", places))

    calls: list[Callable[[], object]] = [
        *(
            partial(accelerator.to_list, column.data, column.bounds, column.validity, start, stop)
            for start, stop in [(-1, 1), (0, 4), (2, 1), (3, 4), (0, sys.maxsize)]
        ),
        *(partial(accelerator.to_list, b"abc", bounds(*places), None, 0, 1) for places in [(0, 4), (-1, 1), (2, 1)]),
        partial(accelerator.to_list, b"abcdefghi", bounds(*range(10)), b"\xff", 0, 9),  # a bitmap that is too short
        *(
            partial(accelerator.to_headers, bounds(*places), keys.buffers, values.buffers, 0, 1)
            for places in [(0, 2), (-1, 1), (1, 0)]
        ),
        partial(accelerator.to_headers, bounds(0), nothing.buffers, nothing.buffers, 0, 1),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="outside"):
            call()


def test_lists_are_those_that_python_makes() -> None:
    entries = [b"", b"a", None, b"bc" * 300, None, None, b"\xff", *[b"x"] * 10]
    for column in (column_of(entries), column_of([e or b"" for e in entries]), column_of([None] * 3)):
        for start in range(len(column) + 1):
            made = [column[i] for i in range(start, len(column))]
            assert column.to_list(start, len(column)) == made


def test_headers_are_those_that_python_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("trace", b"1"), ("", None), ("größe", b""), ("\U0001f600", b"x" * 300)]
    bounds = [0, 0, 1, 3, 3, 4]
    column = HeaderColumn(
        memoryview(array("i", bounds)),
        column_of([key.encode() for key, _ in pairs]),
        column_of([value for _, value in pairs]),
    )
    rows = [tuple(pairs[begin:end]) for begin, end in pairwise(bounds)]
    assert list(column) == rows
    for is_accelerated in (True, False):
        monkeypatch.setattr(columns, "ACCELERATED", is_accelerated)
        assert all(column.to_list(start, len(rows)) == rows[start:] for start in range(len(rows)))
