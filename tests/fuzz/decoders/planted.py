"""Decoders with a fault each, by which the fuzzer itself is tested: it has to find every one of them.

All are at fault at a byte 0xFF in the first place, which their seed does not have.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from kafka_nextgen.errors import DecodeError
from tests.fuzz.decoders.decoder import Decoder, refusals

__all__ = ["DEATH", "EXCEPTION", "HANG", "MEMORY"]

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


EXCEPTION = _planted("exception", _raise)
HANG = _planted("hang", lambda: time.sleep(600))
DEATH = _planted("death", os.abort)
MEMORY = _planted("memory", _starve)
