from array import array

_Data = bytes | bytearray | memoryview
_Column = tuple[bytes, bytes, bytes | None]  # data, bounds, validity
_Headers = tuple[bytes, _Column, _Column]  # bounds, keys, values

def scan(
    data: _Data, fetch_offset: int, check_crc: bool, skipped: array[int], /
) -> tuple[int, int, list[tuple[int, int, int]]] | None: ...
def decode(
    data: _Data, fetch_offset: int, skipped: array[int], payloads: tuple[_Data, ...], /
) -> tuple[bytes, bytes, _Column, _Column, _Headers | None, bytes, bytes, int] | None: ...
