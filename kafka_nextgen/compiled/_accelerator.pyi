from array import array
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

_T = TypeVar("_T")
_Data = bytes | bytearray | memoryview
_Buffer = bytes | memoryview
_Column = tuple[_Buffer, _Buffer, _Buffer | None]  # data, bounds, validity
_Strings = tuple[_Buffer, memoryview[int], _Buffer | None]  # the same, with the bounds cast to integers
_Headers = tuple[_Buffer, _Column, _Column]  # bounds, keys, values

def scan(
    data: _Data, fetch_offset: int, check_crc: bool, skipped: array[int], /
) -> tuple[int, int, list[tuple[int, int, int]]] | None: ...
def find_all(data: _Data, wanted: _Data, most: int, /) -> list[int]: ...
def decode(
    data: _Data, fetch_offset: int, skipped: array[int], payloads: tuple[_Data, ...], /
) -> tuple[_Buffer, _Buffer, _Column, _Column, _Headers | None, _Buffer, _Buffer, int] | None: ...
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
def receive(fd: int, to: bytearray | memoryview, most_ms: int, /) -> int: ...  # not on Windows

class ArrivedColumns:
    def rows(self, type: type[_T], kinds: tuple[object, ...], start: int, stop: int, /) -> RecordRows[_T]: ...

class SteadyFetch(Generic[_T]):
    answers: int
    def __init__(
        self,
        version: int,
        session_id: int,
        epoch: int,
        client_id: bytes,
        limits: bytes,
        rest: bytes,
        places: Sequence[tuple[Any, bytes, int, int, int, int, int]],
        check_crc: bool,
        made: type[_T],
        types: tuple[Callable[..., object], Callable[..., object], Callable[..., object]],
        /,
    ) -> None: ...
    def answer(self, frame: _Data, correlation_id: int, /) -> tuple[bytes, list[_T]] | None: ...
    def places(self) -> dict[Any, tuple[int, int]]: ...

class SteadySocket(Generic[_T]):  # not on Windows
    taken: list[Sequence[_T] | None]
    asked_at: float
    answers: int
    is_over: int
    def __init__(self, fetch: SteadyFetch[_T], fd: int, correlation_id: int, asked_at: float, /) -> None: ...
    def serve(self) -> int: ...
    def stop(self) -> None: ...
    def end(self) -> tuple[bytes, bytes, int]: ...
    def traffic(self) -> tuple[int, int, int, float, float]: ...

class ArrivingRows(Generic[_T]):  # not on Windows
    is_taken: int
    is_asked: int
    is_running: int
    is_waiting: int
    is_over: int
    is_ready: bool
    offered: list[Any] | None
    offers: int
    waited_s: float
    def __init__(
        self,
        sockets: tuple[SteadySocket[Any], ...],
        record: type[_T],
        kinds: tuple[object, ...],
        waker: int,
        until: float,
        /,
    ) -> None: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __next__(self) -> _T: ...
    def offer(self, until: float, most_records: int, /) -> list[Any]: ...
    def end(self) -> None: ...
    def finish(self) -> None: ...
    def progress(self) -> tuple[list[Any], int, int]: ...
    def forget(self, columns: list[Any], /) -> None: ...

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

class ColumnBuilder:
    def __init__(
        self, layout: tuple[tuple[int, int, str, str, bool, int, tuple[str, ...] | None, bytes | None], ...], /
    ) -> None: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None, /) -> tuple[object, object]: ...

def avro_decode(
    builder: ColumnBuilder,
    programs: tuple[tuple[int, array[int], array[int], bytes], ...],
    framing: int,
    values: tuple[_Buffer, _Buffer, _Buffer | None],
    start: int,
    stop: int,
    /,
) -> tuple[int, list[tuple[int, int, int, int]]]: ...
def json_decode(
    builder: ColumnBuilder,
    program: tuple[array[int], array[int], bytes, array[int]],
    column: int,
    frame: int,
    values: tuple[_Buffer, _Buffer, _Buffer | None],
    start: int,
    stop: int,
    /,
) -> list[tuple[int, int, int]]: ...
def protobuf_decode(
    builder: ColumnBuilder,
    program: tuple[array[int], array[int], array[int], bytes, array[int]],
    values: tuple[_Buffer, _Buffer, _Buffer | None],
    start: int,
    stop: int,
    merge: Callable[[int], bytes | None],
    /,
) -> tuple[int, list[tuple[int, int, int, int]]]: ...
