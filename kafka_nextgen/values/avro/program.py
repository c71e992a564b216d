"""The instructions and tables of programs that read Avro values into columns.

An instruction has five numbers: the operation, the column that it writes to (-1 if the value is read and dropped), and
three arguments, which ``accelerator/avro_program.h`` describes for each operation.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from enum import IntEnum, auto

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.lazy_attrs import frozen

__all__ = [
    "EMPTY_ITEM_BYTES",
    "EXPANSION",
    "FREE_BYTES",
    "INSTRUCTION",
    "MOST_INSTRUCTIONS",
    "FrameUse",
    "Op",
    "Program",
    "Writing",
]

#: How many numbers an instruction has.
INSTRUCTION = 5
MOST_INSTRUCTIONS = 1 << 18
#: The allowance of a value limits how many bytes its arrays and maps add to columns beyond the bytes that they read.
#: It is FREE_BYTES plus EXPANSION times the size of the value.
FREE_BYTES = 4096
EXPANSION = 256
#: The cost of an item that takes no bytes in the value.
EMPTY_ITEM_BYTES = 8
_MOST_BLOB = 1 << 20


class FrameUse(IntEnum):
    """The frame at the beginning of values, as in ``accelerator/avro.h``."""

    BARE = 0
    ANY_ID = 1
    BY_ID = 2


class Op(IntEnum):
    """An operation, as in ``accelerator/avro_program.h``."""

    END = 0
    NULL = auto()
    BOOLEAN = auto()
    INT = auto()
    LONG = auto()
    LONG_OF_INT = auto()
    FLOAT = auto()
    FLOAT_OF_INT = auto()
    FLOAT_OF_LONG = auto()
    DOUBLE = auto()
    DOUBLE_OF_INT = auto()
    DOUBLE_OF_LONG = auto()
    DOUBLE_OF_FLOAT = auto()
    BYTES = auto()
    STRING = auto()
    FIXED = auto()
    ENUM = auto()
    DECIMAL = auto()
    UUID = auto()
    DURATION = auto()
    STRUCT = auto()
    BRANCH = auto()
    LIST = auto()
    NEXT = auto()
    SWITCH = auto()
    NULLABLE = auto()
    JUMP = auto()
    DEFAULT = auto()
    RESUME = auto()
    FAIL = auto()
    LONG_FIXED = auto()


@frozen(eq=False)
class Program:
    """The numbers of all instructions, the tables that they use, the bytes of defaults, and the texts of failures."""

    code: array[int]
    table: array[int]
    blob: bytes
    failures: tuple[str, ...]

    @property
    def is_failing(self) -> bool:
        """Whether the program reads no values, but always fails."""
        return self.code[0] == Op.FAIL

    def buffers(self, schema_id: int) -> tuple[int, array[int], array[int], bytes]:
        """The program in the form that decoders take, for values of this schema id."""
        return schema_id, self.code, self.table, self.blob


class Writing:
    """A program that is being written."""

    def __init__(self) -> None:
        self._code = array("q")
        self._table = array("q")
        self._blob = bytearray()
        self._failures: list[str] = []
        self._tables: dict[object, int] = {}

    @property
    def place(self) -> int:
        """The place of the next instruction."""
        return len(self._code) // INSTRUCTION

    def emit(self, op: Op, column: int = -1, a: int = 0, b: int = 0, c: int = 0) -> int:
        """Write an instruction; returns its place."""
        self._code.extend((op, column, a, b, c))
        return self.place - 1

    def go_here(self, place: int, argument: int = 0) -> None:
        """Make the instruction at ``place`` point to the next one, with its first argument or another one."""
        self._code[place * INSTRUCTION + 2 + argument] = self.place

    def table(self, numbers: Sequence[int]) -> int:
        """Add a table; returns the index of its first entry."""
        self._table.extend(numbers)
        return len(self._table) - len(numbers)

    def table_of(self, key: object, numbers: Callable[[], Sequence[int]]) -> int:
        """Add the table for this key, unless it exists; returns the index of its first entry."""
        if key not in self._tables:
            self._tables[key] = self.table(numbers())
        return self._tables[key]

    def set_table(self, index: int) -> None:
        """Set an entry of a table to the place of the next instruction."""
        self._table[index] = self.place

    def blob(self, data: bytes) -> int:
        """Add bytes; returns where they begin. Raises AvroSchemaError if the program would have too many."""
        if len(self._blob) + len(data) > _MOST_BLOB:
            raise AvroSchemaError(f"the defaults take more than {_MOST_BLOB} bytes")
        self._blob += data
        return len(self._blob) - len(data)

    def fail(self, text: str) -> int:
        """Write an instruction that fails with this text."""
        self._failures.append(text)
        return self.emit(Op.FAIL, a=len(self._failures) - 1)

    def cut(self, place: int) -> None:
        """Remove all instructions from this place on."""
        del self._code[place * INSTRUCTION :]

    def done(self) -> Program:
        """Return the finished program."""
        self.emit(Op.END)
        return Program(self._code, self._table, bytes(self._blob), tuple(self._failures))
