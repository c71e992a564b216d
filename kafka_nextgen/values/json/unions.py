"""Columns for the union of the schemas of all values; a value with a new schema can add columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafka_nextgen.errors import JsonSchemaError
from kafka_nextgen.values.columns import Kind
from kafka_nextgen.values.formats import BadValue, Buffers, ColumnDecoder
from kafka_nextgen.values.framing import name_of
from kafka_nextgen.values.ids import ids_in, without_ids
from kafka_nextgen.values.json.decoder import JsonDecoder
from kafka_nextgen.values.json.program import Node, Op
from kafka_nextgen.values.json.uniting import united
from kafka_nextgen.values.recent import FAILURE_S, Recent
from kafka_nextgen.values.schemas import Schemas

__all__ = ["UnionDecoder", "UnionNode"]

#: The number of most recently used ids that are cached. The same number of ids of unusable schemas is cached.
_MOST = 1000


class UnionNode:
    """The union of all schemas so far. If two threads add schemas at the same time, the later one tries again."""

    def __init__(self, schemas: Schemas[Node]) -> None:
        self.node = Node("", Op.STRUCT, Kind.STRUCTS, "+s")
        self._is_empty = True
        self._schemas = schemas
        self._met: Recent[bool] = Recent(_MOST)
        self._failing: Recent[str] = Recent(_MOST, FAILURE_S)
        for schema_id, node in schemas.all():
            try:
                self._add(schema_id, node)
            except JsonSchemaError as error:
                raise JsonSchemaError(f"schema {schema_id}: {error}") from None

    def meet(self, schema_id: int) -> str | None:
        """Add the schema with this id. Returns the reason if its values can't be read, otherwise None."""
        if self._met.get(schema_id):
            return None
        known = self._failing.get(schema_id)
        if known is not None:
            return known
        try:
            self._add(schema_id, self._schemas(schema_id))
        except JsonSchemaError as error:
            reason = f"schema {name_of(schema_id)}: {error}"
            self._failing.put(schema_id, reason)
            return reason
        return None

    def _add(self, schema_id: int, node: Node) -> None:
        while True:
            before = self.node
            try:
                grown = node if self._is_empty else united(before, node)
            except JsonSchemaError as error:
                raise JsonSchemaError(f"can't be united with the schemas before it: {error}") from None
            JsonDecoder(grown, "", True)  # raises if there are too many columns
            if self.node is before:
                break
        self.node, self._is_empty = grown, False
        self._met.put(schema_id, True)


class UnionDecoder(ColumnDecoder):
    """Decodes to the columns of a union, after the schemas of the values have been added to it."""

    def __init__(self, union: UnionNode, make: Callable[[Node], JsonDecoder]) -> None:
        self._union, self._make = union, make
        self._node, self._decoder = union.node, make(union.node)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, which can grow."""
        return self._now().names

    def decode(self, values: Buffers, start: int, stop: int, **how: bool) -> tuple[Any, list[BadValue]]:
        """Return the columns of these rows, and the bad rows, including those with unknown or incompatible schemas."""
        reasons = {schema_id: self._union.meet(schema_id) for schema_id in sorted(ids_in(values, start, stop))}
        failing = {schema_id: reason for schema_id, reason in reasons.items() if reason is not None}
        if not failing:
            return self._now().decode(values, start, stop, **how)
        kept, refused = without_ids(values, start, stop, failing)
        columns, bad = self._now().decode(kept, start, stop, **how)
        return columns, sorted((*bad, *refused), key=lambda each: each.row)

    def _now(self) -> JsonDecoder:
        node = self._union.node
        if node is not self._node:
            self._decoder, self._node = self._make(node), node
        return self._decoder
