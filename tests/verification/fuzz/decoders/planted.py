"""Decoders with a fault each, by which the fuzzer itself is tested: it has to find every one of them.

All but one are at fault at a byte 0xFF in the first place, which their seed does not have. The other takes blocks of
snappy one by one, each by a call with a buffer of its own, and makes them too expensive where they are tiny.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from attrs import evolve

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire.records.compression import XERIAL_HEADER, Compression, compress, decompress
from tests.verification.fuzz.decoders.decoder import Decoder, refusals
from tests.verification.fuzz.decoders.records import COMPRESSION

_TRIGGER = 0xFF


def _faulty(fault: Callable[[], object]) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        with refusals():
            if data and data[0] == _TRIGGER:
                fault()
            raise DecodeError("refused, as most is")

    return run


def _raise() -> None:
    raise IndexError("index out of range")


def _starve() -> None:
    try:
        bytearray(1 << 40)
    except MemoryError as error:
        raise DecodeError("something is wrong with it") from error


def _planted(name: str, fault: Callable[[], object]) -> Decoder:
    return Decoder(f"planted-{name}", f"at fault: {name}", _faulty(fault), lambda: [b"\x00orders"])


def _block_by_block(data: bytes) -> None:
    with refusals():
        at = 0
        while at < len(data):
            end = at + 4 + int.from_bytes(data[at : at + 4], "big")
            decompress(Compression.SNAPPY, memoryview(data)[at + 4 : end], COMPRESSION.limit_bytes)
            at = end


def _blocks() -> list[bytes]:
    return [compress(Compression.SNAPPY, text)[len(XERIAL_HEADER) :] for text in (b"a", b"orders" * 9)]


BLOCKS = evolve(COMPRESSION, name="planted-blocks", about="at fault: blocks", run=_block_by_block, seeds=_blocks)
EXCEPTION = _planted("exception", _raise)
HANG = _planted("hang", lambda: time.sleep(600))
DEATH = _planted("death", os.abort)
MEMORY = _planted("memory", _starve)
