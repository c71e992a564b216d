"""How values are read: a node for each column, and the buffers for the extension.

``accelerator/json_program.h`` has the same numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from enum import IntEnum
from functools import cache

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.values.columns import Column, Kind
from kafka_nextgen.values.json.numbers import powers_of_five

__all__ = [
    "FREE_COST",
    "HAS_ZONE",
    "MOST_FIXED_ITEMS",
    "MOST_JSON_DEPTH",
    "TAKES_INTEGERS",
    "Node",
    "Op",
    "Program",
    "column_of",
]

#: The maximum depth of nested arrays and objects. orjson accepts 1,024, but the standard library's ``json``, which
#: describes faults, is recursive.
MOST_JSON_DEPTH = 512
#: The maximum size (bytes, approximate) of the nulls in a value's lists, to which each byte of the value adds 64.
FREE_COST = 1 << 20
MOST_COST = 1 << 40
#: The maximum length of a fixed-size list.
MOST_FIXED_ITEMS = 1 << 20

HAS_ZONE = 1
TAKES_INTEGERS = 2


class Op(IntEnum):
    """How a column is read."""

    NULL = 0
    BOOLEAN = 1
    INTEGER = 2
    FLOAT = 3
    STRING = 4
    BINARY = 5
    FIXED = 6
    UUID = 7
    ENUM = 8
    DECIMAL = 9
    DATE = 10
    TIME = 11
    TIMESTAMP = 12
    DURATION = 13
    STRUCT = 14
    LIST = 15
    MAP = 16
    ENTRY = 17


@frozen
class Node:
    """A column and how it is read; ``a`` and ``b`` are the arguments of ``op``, except names.

    If it is ``nullable``, the value can be null or missing.
    """

    name: str
    op: Op
    kind: Kind
    format: str
    width: int = 0
    nullable: bool = False
    a: int = 0
    b: int = 0
    children: tuple[Node, ...] = ()
    symbols: tuple[str, ...] | None = None
    metadata: bytes | None = None

    def __iter__(self) -> Iterator[Node]:
        """Yield this node and all nodes below it, parents first."""
        yield self
        for child in self.children:
            yield from child

    @property
    def cost(self) -> int:
        """The approximate size (bytes) of a null, including the nulls below it."""
        below = self.children if self.op in (Op.STRUCT, Op.ENTRY) else ()
        items = self.a * self.children[0].cost if self.op == Op.LIST else 0
        return min(MOST_COST, 8 + self.width + sum(child.cost for child in below) + items)

    @property
    def depth(self) -> int:
        """How deeply columns are nested."""
        return 1 + max((child.depth for child in self.children), default=0)


def column_of(node: Node, nullable: bool | None = None) -> Column:
    """Return the column of a node; ``nullable`` replaces its own nullability."""
    return Column(
        node.name,
        node.kind,
        node.format,
        node.width,
        node.nullable if nullable is None else nullable,
        tuple(column_of(child) for child in node.children),
        node.symbols,
        node.metadata,
    )


@cache
def _powers() -> array[int]:
    return powers_of_five()


class Program:
    """The nodes of a layout, flattened as its columns are."""

    def __init__(self, root: Node) -> None:
        self.nodes = tuple(root)
        self.ends: list[int] = []
        self._code, self._names, self._blob = array("q"), array("q"), bytearray()
        for index, node in enumerate(self.nodes):
            self.ends.append(index + sum(1 for _ in node))
            a, b = node.a, node.b
            if node.op in (Op.STRUCT, Op.ENUM):
                a, b = self._name_all(index, node)
            self._code.extend((node.op, a, b, node.nullable))

    def _name_all(self, index: int, node: Node) -> tuple[int, int]:
        first, names = len(self._names) // 4, node.symbols or tuple(child.name for child in node.children)
        child = index + 1
        for number, name in enumerate(names):
            data = name.encode()
            is_plain = all(letter >= 0x20 and letter not in b'"\\' for letter in data)
            self._names.extend((len(self._blob), len(data), number if node.symbols else child, is_plain))
            self._blob += data
            if not node.symbols:
                child += sum(1 for _ in node.children[number])
        return first, len(names)

    def buffers(self) -> tuple[array[int], array[int], bytes, array[int]]:
        """Return the program in the form that the extension takes."""
        return self._code, self._names, bytes(self._blob), _powers()

    def path(self, index: int) -> str:
        """Return the names from the root to a column, for error messages."""
        names, at = "", 0
        while at != index:
            parent, child = at, at + 1
            while self.ends[child] <= index:
                child = self.ends[child]
            op, at = self.nodes[parent].op, child
            if op == Op.LIST:
                names += "[]"
            elif op == Op.MAP:
                names, at = names + "{}", index if index < child + 2 else child + 2
            else:
                names += f".{self.nodes[child].name}"
        return names.removeprefix(".")
