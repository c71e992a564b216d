"""What ``poll`` returns: records in columns, made into objects only when somebody looks at one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kafka_nextgen.engine.application.data_frames import DataFrames
from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.engine.application.extras import needs
from kafka_nextgen.engine.application.hand_over import HandOver
from kafka_nextgen.engine.application.record_batch import RecordBatch
from kafka_nextgen.engine.application.record_rows import record_rows
from kafka_nextgen.engine.application.record_run import RecordRun
from kafka_nextgen.types import Record, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice, Headers

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Records"]


class Records(DataFrames):
    """Records of one or more partitions, in each partition's order.

    ``len()`` counts them, iterating makes a ``Record`` of each; ``partitions()`` and ``of()`` look at one partition at
    a time, ``batches()`` at columns. ``to_arrow()``, ``to_pandas()`` and ``to_polars()`` hand the columns over without
    a Python object per record, and so does Arrow's PyCapsule interface, to whatever library takes it.
    """

    def __init__(
        self,
        slices: Sequence[ColumnSlice] = (),
        deserializers: Deserializers | None = None,
        hand_over: HandOver | None = None,
    ) -> None:
        self._slices = tuple(slices)
        self._deserializers = deserializers
        self._hand_over = hand_over

    def __len__(self) -> int:
        return sum(map(len, self._slices))

    def __iter__(self) -> Iterator[Record]:
        """Make one Record after the other.

        Raises DeserializationError at a record that can't be deserialized, unless ``on.deserialization.error`` says
        otherwise, and gives out nothing more. Of what the last ``poll`` handed over, all that was not given out counts
        as not handed over then, also of other partitions: positions go back to it, and the next ``poll`` hands it over.
        With deserializers the same holds if a signal handler raises between two records. If it raises before the first
        one, nothing has changed, and these records can be iterated once more.
        """
        if len(self._slices) == 1 and self._deserializers is None:
            (part,) = self._slices
            return iter(record_rows(part.columns, part.start, part.stop))
        return RecordRun(self._slices, self._deserializers, self._hand_over).records

    def __repr__(self) -> str:
        return f"<Records: {len(self)} of {', '.join(map(str, self.partitions())) or 'no partition'}>"

    def partitions(self) -> tuple[TopicPartition, ...]:
        """The partitions there are records of."""
        return tuple(dict.fromkeys(part.partition for part in self._slices))

    def next_offsets(self) -> dict[TopicPartition, int]:
        """The offset behind the last record of each partition: the position that these records lead to."""
        return {part.partition: part.next_offset for part in self._slices}

    def of(self, partition: TopicPartition) -> Records:
        """The records of one partition."""
        own = [part for part in self._slices if part.partition == partition]
        return Records(own, self._deserializers, self._hand_over)

    def batches(self) -> tuple[RecordBatch, ...]:
        """The records in columns, each batch of one partition; one that was fetched in parts may have several."""
        return tuple(RecordBatch(part, self._deserializers, self._hand_over) for part in self._slices)

    def headers(self) -> Iterator[Headers]:
        """The headers of each record that has any; of batches without any, no record is looked at."""
        for part in self._slices:
            columns = part.columns.headers
            if columns is not None:
                yield from filter(None, columns.to_list(part.start, part.stop))

    def raw(self) -> Records:
        """The same records with keys and values as bytes, for whoever deserializes later."""
        return Records(self._slices)

    def to_arrow(self, schema: pyarrow.Schema | None = None) -> pyarrow.Table:
        """The records as a pyarrow Table, nothing copied. Needs the extra ``kafka-nextgen[arrow]``.

        Columns: topic, partition, offset, timestamp (milliseconds, UTC), key and value (bytes, no deserializer is
        applied), headers (a list of structs of key and value). With ``schema``, its columns in its order and of its
        types; ``docs/columns.md`` has those that can be. Raises ArrowSchemaError, which names the column, for any
        other, and ImportError if pyarrow is not there.
        """
        with needs("to_arrow()", "arrow"):
            from kafka_nextgen.engine.application.arrow import to_table
        return to_table(self._slices, schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)
