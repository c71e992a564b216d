"""The schemas of the dataset, of decoded input, and of facts."""

from __future__ import annotations

from types import UnionType
from typing import TYPE_CHECKING, Union, get_args, get_origin, get_type_hints

from attrs import fields
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.facts import FACTS, Fact

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "DATASET",
    "DECODED",
    "EVENTS",
    "EVENT_NAMES",
    "FACTS_OF_ALL_KINDS",
    "GROUP_DOUBTS",
    "KNOWN_RECORDS",
    "LINES",
    "MARKED_EVENTS",
    "RECORDS",
    "REFUSED",
    "ROWS",
    "arrow_schema",
    "fact_schema",
]

#: The maximum number of rows in an Arrow batch.
ROWS = 4_096

_TYPES: dict[object, DataType] = {
    str: StringType(),
    int: LongType(),
    bool: BooleanType(),
    EventKind: StringType(),
    tuple[int, ...]: ArrayType(IntegerType()),
}


def fact_schema(of: type[Fact]) -> StructType:
    """Return the columns of a kind of fact, from the fields of its class. Whole numbers are ``long``."""
    return _columns(**_field_types(of))


def _field_types(of: type[Fact] | type[Event]) -> dict[str, DataType]:
    hints = get_type_hints(of)
    return {each.name: _data_type(hints[each.name]) for each in fields(of)}


def _data_type(hint: object) -> DataType:
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (each for each in get_args(hint) if each is not type(None))
    return _TYPES[hint]


def _columns(**types: DataType) -> StructType:
    return StructType([StructField(name, of) for name, of in types.items()])


def arrow_schema(schema: StructType) -> pa.Schema:
    """Return the schema of the Arrow batches between Spark and Python."""
    return to_arrow_schema(schema, timezone="UTC")


#: The fields of an event, in the order of its arguments.
EVENT_NAMES = tuple(each.name for each in fields(Event))

#: Events as columns: the fields of ``kafka_nextgen.history.events.Event``.
EVENTS = _columns(**{**_field_types(Event), "v": IntegerType()})

#: The Parquet dataset: events, and the two columns that directories are named after.
DATASET = StructType([*EVENTS, *_columns(day=DateType(), folder=StringType())])

#: Lines of logs, or the problem if there is no line.
LINES = _columns(origin=StringType(), line=BinaryType(), problem=StringType())

#: Records of the offsets topic. The events of known records, from earlier micro-batches, were written before.
RECORDS = _columns(
    partition=IntegerType(),
    offset=LongType(),
    at=LongType(),
    key=BinaryType(),
    value=BinaryType(),
    is_known=BooleanType(),
)

#: Known records, and the micro-batch that stored them.
KNOWN_RECORDS = StructType([*RECORDS, *_columns(batch=LongType())])

#: Events, or problems of lines and records. An event of a later version also has a problem.
DECODED = StructType([*EVENTS, *_columns(problem=StringType(), text=StringType(), origin=StringType())])

#: The refusals by reason: the count, the first text, its file or partition, and the run.
REFUSED = _columns(reason=StringType(), count=LongType(), first=StringType(), file=StringType(), run=StringType())

#: Why the facts of a group are uncertain: see ``ordering.aligned``.
DOUBTS = ("clocks_disagree", "members_alone")
#: The clock offsets of each source in a group, and whether only members report who was in it.
GROUP_DOUBTS = _columns(
    cluster=StringType(),
    group=StringType(),
    offsets=MapType(StringType(), LongType()),
    members_alone=BooleanType(),
)
#: Events with aligned clocks, and the doubts about their group.
MARKED_EVENTS = StructType([*EVENTS, *_columns(**dict.fromkeys(DOUBTS, BooleanType()))])

#: Facts of all kinds: the name of the kind, and a column for each kind, of which exactly one is not null.
FACTS_OF_ALL_KINDS = _columns(fact=StringType(), **{name: fact_schema(of) for name, of in FACTS.items()})
