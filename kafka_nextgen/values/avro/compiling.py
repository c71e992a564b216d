"""Compiles a writer's and a reader's schema to a program that reads values of the writer's schema into columns of the
reader's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import evolve

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.values.avro.costs import Costs
from kafka_nextgen.values.avro.defaults import Default, Defaults
from kafka_nextgen.values.avro.layout import record_of
from kafka_nextgen.values.avro.program import MOST_INSTRUCTIONS, Op, Program, Writing
from kafka_nextgen.values.avro.resolution import branch_for, conflict, fields_of_writer
from kafka_nextgen.values.avro.scalars import emit_scalar, least_bytes
from kafka_nextgen.values.avro.types import NO_DEFAULT, Array, Field, Map, Record, Type, Union
from kafka_nextgen.values.columns import Column

__all__ = ["compiled", "defaults_of", "failing"]


@frozen
class _Place:
    """Where a value is stored: its type, its column and the columns below it. Values without a place are dropped."""

    kind: Type
    column: int
    tree: Column
    below: tuple[tuple[int, Column], ...]  # the children and their indexes

    @classmethod
    def of(cls, kind: Type, index: int, tree: Column) -> _Place:
        return cls(kind, index, tree, tuple(_numbered(tree.children, index + 1)))

    def child(self, number: int, kind: Type) -> _Place:
        index, column = self.below[number]
        return _Place.of(kind, index, column)


def _numbered(columns: Sequence[Column], index: int) -> Iterator[tuple[int, Column]]:
    for column in columns:
        yield index, column
        index += column.size


def failing(text: str) -> Program:
    """Return a program that reads no values, but fails with this text."""
    writing = Writing()
    writing.fail(text)
    return writing.done()


def defaults_of(reader: Type) -> Defaults:
    """Return the defaults that are shared by all programs for this reader's schema."""
    return Defaults(reader, _as_it_is)


def _as_it_is(kind: Type, root: Column) -> Program:
    return compiled(kind, kind, root, False)


def compiled(writer: Type, reader: Type, root: Column, flat: bool, defaults: Defaults | None = None) -> Program:
    """Return the program that reads values of ``writer`` into columns laid out for ``reader``, with these defaults."""
    compiler = _Compiler(defaults_of(reader) if defaults is None else defaults)
    if flat and record_of(reader) is not None:
        compiler.value(writer, _Place.of(reader, 0, root))
    else:
        compiler.writing.emit(Op.STRUCT, 0)
        compiler.value(writer, _Place.of(reader, 1, root.children[0]))
    return compiler.writing.done()


class _Compiler:
    def __init__(self, defaults: Defaults) -> None:
        self.writing = Writing()
        self._costs = Costs()
        self._defaults = defaults
        self._places: dict[int, int] = {}  # where the bytes of a default begin in the program, by the default's id()

    def value(self, writer: Type, place: _Place | None) -> None:
        """Compile the instructions that read a value of ``writer`` into its place.

        Raises AvroSchemaError if that is impossible.
        """
        if self.writing.place > MOST_INSTRUCTIONS:
            raise AvroSchemaError("the schema is too large")
        if isinstance(writer, Union):
            self._union(writer, place)
        elif place is not None and isinstance(place.kind, Union):
            self._to_branch(writer, place)
        else:
            self._same(writer, place)

    # ---- unions

    def _union(self, writer: Union, place: _Place | None) -> None:
        before = self.writing.place
        size = len(writer.branches)
        table = self.writing.table([0] * size)
        self.writing.emit(Op.SWITCH, a=size, b=table)
        if self._is_nullable(writer, place):
            self.writing.cut(before)
            self._nullable(writer, place)
            return
        ends = []
        for number, branch in enumerate(writer.branches):
            self.writing.set_table(table + number)
            self._writers_branch(branch, place)
            ends.append(self.writing.emit(Op.JUMP))
        for end in ends:
            self.writing.go_here(end)

    def _writers_branch(self, branch: Type, place: _Place | None) -> None:
        """Compile one branch; if it can't be read, only values with this branch fail."""
        before = self.writing.place
        try:
            self.value(branch, place)
        except AvroSchemaError as error:
            self.writing.cut(before)
            self.writing.fail(str(error))

    @staticmethod
    def _is_nullable(writer: Union, place: _Place | None) -> bool:
        """Whether the union is null and one other type, and its column can be null."""
        if len(writer.branches) != 2 or len(writer.others) != 1:
            return False
        return place is None or (isinstance(place.kind, Union) and place.kind.has_null)

    def _nullable(self, writer: Union, place: _Place | None) -> None:
        null = 0 if writer.branches[0].kind == "null" else 1
        cost = 0 if place is None else self._costs.of_null(place.tree)
        start = self.writing.emit(Op.NULLABLE, -1 if place is None else place.column, null, c=cost)
        self._writers_branch(writer.others[0], place)
        self.writing.go_here(start, 1)

    def _to_branch(self, writer: Type, place: _Place) -> None:
        assert isinstance(place.kind, Union)
        branch = branch_for(writer, place.kind)
        if branch is None:
            raise AvroSchemaError(f"{_name(writer)} is not a branch of the reader's union")
        others = place.kind.others
        if branch.kind == "null":
            self._null(place)
        elif len(others) == 1:
            self.value(writer, evolve(place, kind=branch))
        else:
            child = place.child(next(number for number, other in enumerate(others) if other is branch), branch)
            cost = self._costs.of_null(place.tree) - self._costs.of_null(child.tree)
            self.writing.emit(Op.BRANCH, place.column, child.column, c=cost)
            self.value(writer, child)

    def _null(self, place: _Place) -> None:
        self.writing.emit(Op.NULL, place.column, c=self._costs.of_null(place.tree))

    # ---- other types

    def _same(self, writer: Type, place: _Place | None) -> None:
        if place is not None and (why := conflict(writer, place.kind)) is not None:
            raise AvroSchemaError(why)
        if isinstance(writer, Record):
            self._record(writer, place)
        elif isinstance(writer, Array):
            self._items(writer.items, place, lambda: self._item(writer, place))
        elif isinstance(writer, Map):
            self._items(writer, place, lambda: self._entry(writer, place))
        elif writer.kind == "null":
            if place is not None:
                self._null(place)
        else:
            column = -1 if place is None else place.column
            emit_scalar(self.writing, writer, None if place is None else place.kind, column)

    def _items(self, item: Type, place: _Place | None, body: Callable[[], None]) -> None:
        column = -1 if place is None else place.column
        least = 1 if isinstance(item, Map) else least_bytes(item)
        begin = self.writing.emit(Op.LIST, column, 0, least)
        with self._costs.items():
            body()
        self.writing.emit(Op.NEXT, column, begin + 1, least)
        self.writing.go_here(begin)

    def _item(self, writer: Array, place: _Place | None) -> None:
        if place is None:
            return self.value(writer.items, None)
        assert isinstance(place.kind, Array)
        return self.value(writer.items, place.child(0, place.kind.items))

    def _entry(self, writer: Map, place: _Place | None) -> None:
        if place is None:
            self.writing.emit(Op.STRING)
            return self.value(writer.values, None)
        assert isinstance(place.kind, Map)
        index, entries = place.below[0]
        self._struct(index)
        self.writing.emit(Op.STRING, index + 1)
        return self.value(writer.values, _Place.of(place.kind.values, index + 2, entries.children[1]))

    def _struct(self, column: int) -> None:
        self.writing.emit(Op.STRUCT, column, c=self._costs.of(1))

    def _record(self, writer: Record, place: _Place | None) -> None:
        if place is None:
            for field in writer.fields:
                self.value(field.type, None)
            return
        reader = place.kind
        assert isinstance(reader, Record)
        self._struct(place.column)
        readers = fields_of_writer(writer.fields, reader)
        for field in writer.fields:
            other = readers.get(field.name)
            number = None if other is None else reader.numbers[other]
            self._field(writer, field, None if number is None else place.child(number, reader.fields[number].type))
        self._missing(reader, place, {*readers.values()})

    def _missing(self, reader: Record, place: _Place, written: set[str]) -> None:
        """Compile the defaults of the fields that only the reader has; adjacent nulls share one instruction."""
        first = end = 0
        for field, (column, tree) in zip(reader.fields, place.below, strict=True):
            if field.name in written:
                continue
            if not _is_null(field) or self._costs.is_counting:
                self._default(reader, field, _Place.of(field.type, column, tree))
                continue
            if column != end:
                self._nulls(first, end)
                first = column
            end = column + tree.size
        self._nulls(first, end)

    def _nulls(self, first: int, end: int) -> None:
        if first < end:
            self.writing.emit(Op.NULL, first, end)

    def _field(self, record: Record, field: Field, place: _Place | None) -> None:
        try:
            self.value(field.type, place)
        except AvroSchemaError as error:
            raise AvroSchemaError(f"{record.name}.{field.name}: {error}") from None

    def _default(self, record: Record, field: Field, place: _Place) -> None:
        """Compile the instructions that read a default, stored as bytes in the program, as a value of the reader."""
        if field.default is NO_DEFAULT:
            raise AvroSchemaError(f"{record.name}.{field.name} is not in the writer's schema, and has no default")
        try:
            default = self._defaults.of(field, place.tree)
            begin = self._place_of(default)
        except AvroSchemaError as error:
            raise AvroSchemaError(f"{record.name}.{field.name}: {error}") from None
        self.writing.emit(Op.DEFAULT, a=begin, b=len(default.data), c=self._costs.of(default.column_bytes))
        with self._costs.default():
            self.value(field.type, place)
        self.writing.emit(Op.RESUME)

    def _place_of(self, default: Default) -> int:
        """Return where the bytes of a default begin in the program, which contains them only once."""
        if id(default) not in self._places:
            self._places[id(default)] = self.writing.blob(default.data)
        return self._places[id(default)]


def _is_null(field: Field) -> bool:
    """Return whether the default is null, and the type allows null."""
    return field.default is None and (
        field.type.kind == "null" or (isinstance(field.type, Union) and field.type.has_null)
    )


def _name(kind: Type) -> str:
    return str(getattr(kind, "name", kind.kind))
