"""How a bug is planted: functions, rows and constants of the package are replaced, and put back afterwards.

Nothing in the package knows of it. Where a module took a function over by its name, that name is replaced; where a
table holds it, the table's entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from enum import Enum
from types import ModuleType
from typing import Any

from attrs import evolve, field, frozen

from kafka_nextgen.offsets_topic.extensions import CODEC
from kafka_nextgen.offsets_topic.kinds import RecordKind


class Part(Enum):
    """What a bug is planted in. The value is what it is called on the page."""

    MEMBER = "member"
    COORDINATOR = "coordinator"
    OFFSETS = "offsets"
    LOG = "log and fail-over"
    CLASSIC_MEMBER = "member of the classic protocol"
    CLASSIC_GROUP = "coordinator of the classic protocol"
    MIGRATION = "migration between the protocols"
    EXTENSIONS = "extensions"
    STANDBYS = "standbys"  # run with a target size
    CLASSIC_STANDBYS = "standbys of classic groups"  # the same
    LEAVING = "announced leaving"  # run with announcements


class Garden:
    """What is replaced just now."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def set(self, owner: ModuleType | type, name: str, value: object) -> None:
        """Replace an attribute of a module or a class, which has to be there."""
        before = owner.__dict__[name]
        setattr(owner, name, value)
        self._undo.append(lambda: setattr(owner, name, before))

    def wrap(self, owner: ModuleType | type, name: str, instead: Callable[..., object]) -> None:
        """Replace a function by ``instead``, which is called with the function itself before the other arguments."""
        self.set(owner, name, _around(owner.__dict__[name], instead))

    def put(self, table: Any, key: object, value: object) -> None:
        """Replace an entry of a table, which has to be there."""
        assert isinstance(table, MutableMapping), "a table is a dict, whatever its annotation says"
        before = table[key]
        table[key] = value
        self._undo.append(lambda: table.update({key: before}))

    def wrap_entry(self, table: Any, key: object, instead: Callable[..., object]) -> None:
        self.put(table, key, _around(table[key], instead))

    def put_kind(self, kind: RecordKind, **changes: Any) -> None:
        """Read and write records of this kind otherwise."""
        other = evolve(kind, **changes)
        for table in (CODEC.by_number, CODEC.by_record):
            for key, value in list(table.items()):
                if value is kind:
                    self.put(table, key, other)

    def put_rule(self, table: Any, rule: object, instead: object, **more: object) -> None:
        """Replace a rule in each row of a table of transitions that has it, with what ``more`` changes in the row."""
        for key, row in list(table.items()):
            if row.rule is rule:
                self.put(table, key, evolve(row, rule=instead, **more))

    def drop(self, table: Any, key: object) -> None:
        before = dict(table)
        del table[key]

        def put_back() -> None:
            table.clear()
            table.update(before)  # in the order it had

        self._undo.append(put_back)

    def clear(self) -> None:
        while self._undo:
            self._undo.pop()()


def _around(function: Callable[..., Any], instead: Callable[..., object]) -> Callable[..., object]:
    return lambda *args, **more: instead(function, *args, **more)


def nothing(*args: Any, **more: Any) -> None:
    """Do nothing, in place of any function."""


def stay(state: Any, event: Any, at: Any) -> Any:
    """Do nothing, in place of any rule of a member's table."""
    return state, ()


Plant = Callable[[Garden], None]


@frozen
class Mutant:
    name: str
    part: Part
    plant: Plant = field(repr=False)


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    garden = Garden()
    try:
        mutant.plant(garden)
        yield
    finally:
        garden.clear()
