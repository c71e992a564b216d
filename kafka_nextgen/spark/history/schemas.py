"""The schemas: of the dataset of events, and of each kind of fact."""

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
    StringType,
    StructField,
    StructType,
)

from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import FACTS, Fact

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "DATASET",
    "DECODED",
    "EVENTS",
    "EVENT_NAMES",
    "FACTS_OF_ALL_KINDS",
    "KNOWN_RECORDS",
    "LINES",
    "MARKED_EVENTS",
    "RECORDS",
    "REFUSED",
    "arrow_schema",
    "fact_schema",
]

_TYPES: dict[type, DataType] = {str: StringType(), int: LongType(), bool: BooleanType()}
#: Fields of events that are not what their Python type says.
_EVENT_TYPES: dict[str, DataType] = {
    "kind": StringType(),
    "partitions": ArrayType(IntegerType()),
    "v": IntegerType(),
}


def _data_type(hint: object) -> DataType:
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (each for each in get_args(hint) if each is not type(None))
    assert isinstance(hint, type), hint
    return _TYPES[hint]


def fact_schema(of: type[Fact]) -> StructType:
    """The columns of one kind of fact, by the fields of its class. Whole numbers are ``long``."""
    hints = get_type_hints(of)
    return StructType([StructField(each.name, _data_type(hints[each.name])) for each in fields(of)])


def _event_schema() -> StructType:
    hints = get_type_hints(Event)
    return StructType(
        [
            StructField(name, _EVENT_TYPES[name] if name in _EVENT_TYPES else _data_type(hints[name]))
            for name in EVENT_NAMES
        ]
    )


def arrow_schema(schema: StructType) -> pa.Schema:
    """The schema as Arrow batches have it between Spark and Python."""
    return to_arrow_schema(schema, timezone="UTC")


#: The fields of an event, in the order of its arguments.
EVENT_NAMES = tuple(each.name for each in fields(Event))

#: Events as columns: the fields of ``kafka_nextgen.history.events.Event``.
EVENTS = _event_schema()

#: The Parquet dataset: events, and the two columns that directories are named after.
DATASET = StructType([*EVENTS, StructField("day", DateType()), StructField("folder", StringType())])

#: Lines of logs, or what was wrong where there is none.
LINES = StructType(
    [StructField("origin", StringType()), StructField("line", BinaryType()), StructField("problem", StringType())]
)

#: Records of the offsets topic. Those that were known before are marked: what they tell was told.
RECORDS = StructType(
    [
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("at", LongType()),
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField("is_known", BooleanType()),
    ]
)

#: Records that are known, and from the end of which micro-batch.
KNOWN_RECORDS = StructType([*RECORDS, StructField("batch", LongType())])

#: Events, or the problem with what should have been one. An event of a later version has a problem, too.
DECODED = StructType(
    [
        *EVENTS,
        StructField("problem", StringType()),
        StructField("text", StringType()),
        StructField("origin", StringType()),
    ]
)

#: What was no event: how often, the first one, and in which run.
REFUSED = StructType(
    [
        StructField("reason", StringType()),
        StructField("count", LongType()),
        StructField("first", StringType()),
        StructField("file", StringType()),
        StructField("run", StringType()),
    ]
)

#: What is to be doubted in an event's group: see ``ordering.aligned``.
DOUBTS = ("clocks_disagree", "members_alone")
#: Events whose clocks are right, and what is to be doubted in their group.
MARKED_EVENTS = StructType([*EVENTS, *(StructField(name, BooleanType()) for name in DOUBTS)])

#: Facts of all kinds: the name of the kind, and one column for each, of which the others are null.
FACTS_OF_ALL_KINDS = StructType(
    [StructField("fact", StringType()), *(StructField(name, fact_schema(of)) for name, of in FACTS.items())]
)
