"""Tables of fields: what is written by one is read by it, and a name that is wrong fails where the table is made."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from attrs import frozen

from kafka_nextgen.wire.field_map import FieldMap, converted, optional_number, read_only
from kafka_nextgen.wire.schema import Structure, field


class Place(NamedTuple):
    topic: str
    number: int


@frozen
class Entry:
    name: str
    place: Place
    parts: tuple[Place, ...] = ()
    limit: int | None = None
    is_open: bool = False
    note: str = "kept elsewhere"


class PlaceData(Structure):
    topic: str = field("string", "0+")
    index: int = field("int32", "0+")


class EntryData(Structure):
    name: str = field("string", "0+")
    topic: str = field("string", "0+")
    index: int = field("int32", "0+")
    parts: tuple[PlaceData, ...] = field([PlaceData], "0+")
    limit: int = field("int32", "0+", default=-1)
    state: str = field("string", "0+")


PLACE = FieldMap(Place, PlaceData, number="index")
ENTRY = FieldMap(
    Entry,
    EntryData,
    place=FieldMap(Place, EntryData, number="index").inline,
    parts=PLACE.array("parts"),
    limit=optional_number("limit"),
    is_open=converted("state", lambda is_open: "open" if is_open else "closed", lambda state: state == "open"),
    note=None,
)


@pytest.mark.parametrize("limit", [None, 0, 7])
def test_what_is_written_is_read(limit: int | None) -> None:
    entry = Entry("a", Place("orders", 3), (Place("audit", 0), Place("audit", 1)), limit, is_open=True)
    written = ENTRY.to_structure(entry)
    assert written == EntryData(
        name="a",
        topic="orders",
        index=3,
        parts=[PlaceData(topic="audit", index=0), PlaceData(topic="audit", index=1)],
        limit=-1 if limit is None else limit,
        state="open",
    )
    assert ENTRY.from_structure(written) == entry


def test_an_extended_table_has_other_fields() -> None:
    noted = ENTRY.extended(note=read_only(lambda structure: structure.state.upper()))
    entry = noted.from_structure(EntryData(name="a", state="open"))
    assert (entry.note, noted.to_structure(entry), entry.is_open) == ("OPEN", ENTRY.to_structure(entry), True)


def test_a_field_that_the_structure_lacks_or_an_attribute_that_the_class_lacks_is_a_bug() -> None:
    with pytest.raises(AssertionError, match=r"PlaceData lacks fields \['number'\]"):
        FieldMap(Place, PlaceData)
    with pytest.raises(AssertionError, match="Place lacks some of the attributes"):
        FieldMap(Place, PlaceData, number="index", rack="rack")
