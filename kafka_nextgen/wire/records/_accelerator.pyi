from array import array
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")
_Data = bytes | bytearray | memoryview
_Column = tuple[bytes, bytes, bytes | None]  # data, bounds, validity
_Headers = tuple[bytes, _Column, _Column]  # bounds, keys, values

def scan(
    data: _Data, fetch_offset: int, check_crc: bool, skipped: array[int], /
) -> tuple[int, int, list[tuple[int, int, int]]] | None: ...
def decode(
    data: _Data, fetch_offset: int, skipped: array[int], payloads: tuple[_Data, ...], /
) -> tuple[bytes, bytes, _Column, _Column, _Headers | None, bytes, bytes, int] | None: ...
def to_list(
    data: _Data, bounds: memoryview[int], validity: bytes | None, start: int, stop: int, /
) -> list[bytes | None]: ...
def to_headers(
    bounds: memoryview[int],
    keys: tuple[bytes, memoryview[int], bytes | None],
    values: tuple[bytes, memoryview[int], bytes | None],
    start: int,
    stop: int,
    /,
) -> list[tuple[tuple[str, bytes | None], ...]]: ...
def new_buffer(size: int, /) -> bytearray: ...
def make_records(
    type: type[_T],
    topic: str,
    partition: int,
    kinds: tuple[object, ...],
    headers: Sequence[object] | None,
    offsets: memoryview[int],
    timestamps: memoryview[int],
    timestamp_types: memoryview[int],
    leader_epochs: memoryview[int],
    keys: tuple[bytes, memoryview[int], bytes | None],
    values: tuple[bytes, memoryview[int], bytes | None],
    start: int,
    stop: int,
    /,
) -> list[_T]: ...
