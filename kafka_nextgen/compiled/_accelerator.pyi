from array import array
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")
_Data = bytes | bytearray | memoryview
_Buffer = bytes | memoryview
_Column = tuple[_Buffer, _Buffer, _Buffer | None]  # data, bounds, validity
_Strings = tuple[_Buffer, memoryview[int], _Buffer | None]  # the same once they are taken for what they are
_Headers = tuple[_Buffer, _Column, _Column]  # bounds, keys, values

def scan(
    data: _Data, fetch_offset: int, check_crc: bool, skipped: array[int], /
) -> tuple[int, int, list[tuple[int, int, int]]] | None: ...
def find_all(data: _Data, wanted: _Data, most: int, /) -> list[int]: ...
def decode(
    data: _Data, fetch_offset: int, skipped: array[int], payloads: tuple[_Data, ...], /
) -> tuple[_Buffer, _Buffer, _Column, _Column, _Headers | None, _Buffer, _Buffer, int] | None: ...
def decode_plain(
    body: _Data,
    places: Mapping[bytes, Mapping[int, object]],
    wanted: Mapping[Any, object],
    most_bytes: int,
    check_crc: bool,
    made: type[_T],
    types: tuple[Callable[..., object], Callable[..., object], Callable[..., object]],
    offset: str = "offset",
    /,
) -> tuple[int, int, list[_T]] | None: ...
def to_list(
    data: _Data, bounds: memoryview[int], validity: _Buffer | None, start: int, stop: int, /
) -> list[bytes | None]: ...
def to_headers(
    bounds: memoryview[int],
    keys: _Strings,
    values: _Strings,
    start: int,
    stop: int,
    /,
) -> list[tuple[tuple[str, bytes | None], ...]]: ...
def new_buffer(size: int, /) -> memoryview: ...
def new_bytearray(size: int, /) -> bytearray: ...
def let_go() -> None: ...
def do_all(calls: list[tuple[Any, ...]], /) -> None: ...
def receive(fd: int, to: bytearray | memoryview, most_ms: int, /) -> int: ...  # not on Windows

# These three on Linux only:
def serve(epoll_fd: int, timeout_s: float, relays: tuple[FetchRelay, ...], /) -> list[tuple[int, int]]: ...

class FetchRelay:
    is_over: bool
    has_answers: bool
    correlation_id: int
    asked_at: float
    def __init__(
        self,
        fd: int,
        version: int,
        correlation_id: int,
        session_id: int,
        epoch: int,
        client_id: bytes,
        limits: bytes,
        rest: bytes,
        places: Sequence[tuple[bytes, int, int, int, int, int]],
        check_crc: bool,
        most_kept_bytes: int,
        asked_at: float,
        bell: Bell | None,
        /,
    ) -> None: ...
    def first(self) -> tuple[int, bytes, float] | None: ...
    def drop(self, number: int, /) -> None: ...
    def end(self) -> None: ...
    def left(self) -> tuple[bytes, bytes]: ...
    def places(self) -> dict[tuple[bytes, int], tuple[int, int]]: ...
    def counted(self) -> tuple[int, int, int, int, int, float, float]: ...

class Bell:
    rings: int
    is_awaited: bool
    def __init__(self) -> None: ...
    def ring(self) -> None: ...
    def wait(self, rings: int, timeout_s: float, /) -> None: ...

class RecordFields(tuple[object, ...]):
    @classmethod
    def _make(cls: type[_T], iterable: Iterable[object], /) -> _T: ...

class RecordRows(Generic[_T]):
    row: int
    def __init__(
        self,
        type: type[_T],
        topic: str,
        partition: int,
        kinds: tuple[object, ...],
        headers: tuple[memoryview[int], _Strings, _Strings] | None,
        offsets: memoryview[int],
        timestamps: memoryview[int],
        timestamp_types: memoryview[int],
        leader_epochs: memoryview[int],
        keys: _Strings,
        values: _Strings,
        start: int,
        stop: int,
        /,
    ) -> None: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __next__(self) -> _T: ...
    def end(self) -> None: ...

class Iteration(AsyncIterator[_T]):
    def __init__(self, refill: Callable[[], Coroutine[None, None, tuple[Iterator[_T], int]]], /) -> None: ...
    def __anext__(self) -> Coroutine[None, None, _T]: ...
