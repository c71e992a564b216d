"""Converts batches of records to the columns of a query, with decoded keys and values."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from kafka_nextgen.engine.application.records import RecordBatch
from kafka_nextgen.errors import DeserializationError, RegistryError
from kafka_nextgen.spark.decoding.converting import converted_rows
from kafka_nextgen.spark.decoding.formats import Decoding, FieldFormat, format_of
from kafka_nextgen.values import ValueFormat
from kafka_nextgen.values.formats import BadValue, Buffers, ColumnDecoder

__all__ = ["BatchDecoder"]

_ADVICE = "The option onError=skip leaves such records out, and onError=null makes the column null and says why"


class BatchDecoder:
    """Makes batches with the columns of ``schema``, in its order."""

    def __init__(self, schema: pa.Schema, decoding: Decoding) -> None:
        self._schema = schema
        self._on_error = decoding.on_error
        self._formats: dict[Any, ValueFormat] = {each.field: _WholeValues(each, schema) for each in decoding.fields}
        made = [name for field in self._formats for name in (field, f"{field}_error", f"{field}_raw")]
        record = [each for each in schema if each.name not in made]
        self._record = pa.schema(record or [("offset", pa.int64())])

    def batch(self, records: RecordBatch) -> pa.RecordBatch:
        """Decode records.

        Raises ``DeserializationError`` for an invalid key or value, unless ``onError`` specifies otherwise, and
        ``RegistryError`` if the registry fails.
        """
        try:
            found = records.to_arrow(self._record, on_error=self._on_error, **self._formats)
        except DeserializationError as error:
            raise DeserializationError(f"{error}. {_ADVICE}", error.record, error.field) from error.__cause__
        except RegistryError as error:
            raise RegistryError(f"schemaRegistry.url: {error}", error.http_status_code) from error
        return pa.RecordBatch.from_arrays([found.column(name) for name in self._schema.names], schema=self._schema)


class _WholeValues(ValueFormat):
    """A format whose values become one column each, with the type that the query's schema specifies."""

    def __init__(self, planned: FieldFormat, schema: pa.Schema) -> None:
        self._format = format_of(planned)
        self.framing = self._format.framing
        index = schema.get_field_index(planned.field)
        self._target = None if index < 0 else schema.field(index).type

    def decoder(self, name: str, flat: bool) -> ColumnDecoder:
        """Return a decoder that produces a single column, even if values are records."""
        return _Decoder(self._format.decoder(name, False), name, self._target)


class _Decoder(ColumnDecoder):
    def __init__(self, inner: ColumnDecoder, name: str, target: pa.DataType | None) -> None:
        self._inner, self._name, self._target = inner, name, target

    @property
    def names(self) -> tuple[str, ...]:
        return (self._name,)

    def decode(self, values: Buffers, start: int, stop: int) -> tuple[Any, list[BadValue]]:
        columns, bad = self._inner.decode(values, start, stop)
        array = pa.record_batch(columns).column(0)
        if self._target is None:  # not selected, but invalid values must be detected
            return pa.record_batch([array], [self._name]), bad
        array, unfit = converted_rows(array, self._target)
        found = pa.RecordBatch.from_arrays([array], schema=pa.schema([(self._name, self._target)]))
        more = [BadValue(start + each.row, each.reason) for each in unfit]
        return found, sorted([*bad, *more], key=lambda each: each.row) if more else bad
