"""Reads a segment file after a restart, batch by batch, up to the first that is not whole and right.

A batch is right if its length lies within the file, its format is 2, its CRC-32C and header are, and it begins at the
offset at which the one before ended. Compaction leaves the offsets of what it removed within a batch, so a log
without holes stays one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kafka_nextgen.broker.storage.files import doing
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.wire.records.batch_header import LENGTH_END, check_header, read_header, verify_crc
from kafka_nextgen.wire.records.batches import BatchView

__all__ = ["SegmentScan"]


class SegmentScan:
    """One pass over a file, which is named after its first offset.

    After it, ``good`` bytes of ``size`` are batches and ``fault`` says what came then.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.base_offset = self.next_offset = int(path.stem)
        self.good = 0
        self.size = 0
        self.fault: str | None = None

    def __iter__(self) -> Iterator[BatchView]:
        with doing("read", self.path), self.path.open("rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            while self.good < self.size:
                try:
                    batch = _next_batch(file, self.size - self.good, self.next_offset)
                except CorruptRecordError as error:
                    self.fault = str(error)
                    return
                self.good += batch.header.size
                self.next_offset = batch.header.next_offset
                yield batch


def _next_batch(file: BinaryIO, left: int, offset: int) -> BatchView:
    prefix = file.read(LENGTH_END)
    length = int.from_bytes(prefix[8:], "big", signed=True)
    data = memoryview(prefix + file.read(max(0, min(length, left - LENGTH_END))))
    header = read_header(data, 0)
    if header is None:
        raise CorruptRecordError(f"the batch ends after the {left} bytes that are left")
    verify_crc(header, data)
    check_header(header)
    if header.base_offset != offset:
        raise CorruptRecordError(f"the batch begins at offset {header.base_offset}, and {offset} is next")
    return BatchView(header, data)
