"""The schema that defines the columns: a fixed one, or the union of the writers' schemas, which grows."""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.errors import AvroSchemaError
from kafka_nextgen.values.avro.layout import check_extent
from kafka_nextgen.values.avro.types import Record, Type
from kafka_nextgen.values.avro.uniting import united

__all__ = ["ReaderSchema", "UnionSchema"]

_NOTHING = Record("nothing", frozenset(), ())


class ReaderSchema:
    """A schema that does not change."""

    def __init__(self, schema: Type) -> None:
        self.schema = schema

    def meet(self, schema_id: int, writer: Type) -> None:
        """Add a writer's schema. Raises AvroSchemaError if that is not possible."""


class UnionSchema(ReaderSchema):
    """The union of all schemas encountered so far.

    If two threads add schemas at the same time, one change can be lost. The thread whose change was lost notices that
    the union is not the schema for which it decoded, so it decodes its values and adds its schema again.
    """

    def __init__(self, known: Iterable[tuple[int, Type]]) -> None:
        super().__init__(_NOTHING)
        self._parts: list[tuple[int, Type]] = []  # the schemas that changed the union
        for schema_id, kind in known:
            try:
                self.meet(schema_id, kind)
            except AvroSchemaError as error:
                raise AvroSchemaError(f"schema {schema_id}: {error}") from None

    def meet(self, schema_id: int, writer: Type) -> None:
        """Add the missing parts to the union. Raises AvroSchemaError, which names the schema that conflicts."""
        try:
            grown = united(self.schema, writer) if self._parts else writer
        except AvroSchemaError as error:
            raise AvroSchemaError(f"can't be united with {self._other(writer)}: {error}") from None
        if grown != self.schema or not self._parts:
            check_extent(grown, flat=True)
            self._parts.append((schema_id, writer))
            self.schema = grown

    def _other(self, writer: Type) -> str:
        for schema_id, kind in self._parts:
            try:
                united(kind, writer)
            except AvroSchemaError:
                return f"schema {schema_id}"
        return "the schemas before it"
