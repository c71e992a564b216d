"""What may be said in ``group.local.assignors``, and what may not."""

from __future__ import annotations

import pytest

from kafka_nextgen.assignors import AssignmentSpec, GroupAssignment, PartitionAssignor, RangeAssignor
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError

KEY = "group.local.assignors"


class Mine(PartitionAssignor):
    name = "mine"
    maximum_version = 2

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        return GroupAssignment({})


class Needless(Mine):
    name = "needless"


class Needy(Mine):
    def __init__(self, budget: int) -> None:
        self.budget = budget


def other(**attributes: object) -> type[Mine]:
    """The same assignor but for these."""
    return type("Other", (Mine,), attributes)


MINE = Mine()


def parse(**properties: object) -> ConsumerConfig:
    return ConsumerConfig.parse(bootstrap_servers="localhost:9092", **properties)


def test_objects_classes_and_places_of_classes_stand_side_by_side() -> None:
    config = parse(
        group_id="g", group_local_assignors=[MINE, RangeAssignor, "tests.assignors.test_configured:Needless"]
    )
    first, second, third = config.group_local_assignors
    assert first is MINE
    assert isinstance(second, RangeAssignor)
    assert isinstance(third, Needless)
    assert "group_local_assignors='mine,range,needless'" in repr(config)


def test_text_names_several_as_in_a_properties_file() -> None:
    here = "tests.assignors.test_configured"
    config = parse(group_id="g", group_local_assignors=f"{here}:Mine, {here}:Needless,")
    assert [assignor.name for assignor in config.group_local_assignors] == ["mine", "needless"]


@pytest.mark.parametrize("alone", [MINE, Mine])
def test_one_alone_needs_no_list(alone: object) -> None:
    assert [assignor.name for assignor in parse(group_id="g", group_local_assignors=alone).group_local_assignors] == [
        "mine"
    ]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ([MINE, Mine], "mine, mine: two assignors have the same name"),
        (Needy, "Needy can't be instantiated without arguments"),
        (other(name=" "), "must be a string that is not blank and has no commas, not ' '"),
        (other(name="a,b"), "must be a string that is not blank and has no commas, not 'a,b'"),
        (other(minimum_version=3), "mine reads versions 3 to 2: "),
        (other(minimum_version=-1, maximum_version=-1), "mine reads versions -1 to -1: "),
        (other(minimum_version=-2), "mine reads versions -2 to 2: "),
        (other(maximum_version=2**15), "mine reads versions 0 to 32768: "),
        (other(minimum_version=True), "mine reads versions True to 2: "),
        (object, "must be PartitionAssignor objects or classes, or module:Class"),
        (7, "must be PartitionAssignor objects or classes, or module:Class"),
        ("range", "must be PartitionAssignor objects or classes, or module:Class, not 'range'"),
        ("tests.assignors.test_configured:Nobody", "test_configured:Nobody can't be imported: "),
        ("there.is.no.such:Module", "there.is.no.such:Module can't be imported: "),
        (".relative:Module", ".relative:Module can't be imported: "),
        ("tests.assignors.test_configured:parse", "must be PartitionAssignor objects or classes"),
    ],
)
def test_what_is_no_assignor_is_refused(value: object, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint) as refused:
        parse(group_id="g", **{KEY: value})
    assert refused.value.key == KEY


@pytest.mark.parametrize(
    ("others", "complaint"),
    [
        ({}, r"group\.local\.assignors needs a group\.id"),
        ({"group_id": "g", "group_remote_assignor": "range"}, r"group\.remote\.assignor can't both be set"),
    ],
)
def test_what_it_can_not_be_set_with(others: dict[str, object], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint) as refused:
        parse(group_local_assignors=MINE, **others)
    assert refused.value.key == KEY


def test_unset_is_nobody() -> None:
    assert parse().group_local_assignors == ()
