"""What members are called."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen.cli.history.table_data import member_names, with_member_names
from kafka_nextgen.history.facts import Holdup, MemberSummary

MEMBER = MemberSummary("c", "g", "", None, None, None, 0, 0, 1, 0, 0, 0, 0, 0, 0)
LONG = "0be49118-07ed-48d2-b931-4e8f44fc5774"


def names(*members: tuple[str, str | None, str | None]) -> list[str]:
    """Of members by their ids, instances and clients."""
    given = [evolve(MEMBER, member=member, instance=instance, client=client) for member, instance, client in members]
    return [member_names(given)[each.member] for each in given]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ([("A", None, None)], ["A"]),
        ([(LONG, None, None)], ["0be49118"]),
        ([(LONG, None, "app")], ["app"]),
        ([(LONG, "one", "app")], ["one"]),
        ([("ab12cd34ef", None, "app"), ("cd", None, "app")], ["app ab12cd34", "app cd"]),
        ([(f"app-{LONG}", None, "app"), ("app-77777777-8", None, "app")], ["app 0be49118", "app 77777777"]),
        ([("same-id-1", None, "app"), ("same-id-2", None, "app")], ["same-id-1", "same-id-2"]),
        ([(f"{LONG}a", None, None), (f"{LONG}b", None, None)], [f"{LONG}a", f"{LONG}b"]),
    ],
)
def test_names(members: list[tuple[str, str | None, str | None]], expected: list[str]) -> None:
    assert names(*members) == expected


def test_what_is_not_known_keeps_its_id() -> None:
    holdup = Holdup("c", "g", 1, "A", 0, 1, 0, 0, 0, 1)
    assert [each.member for each in with_member_names([holdup, evolve(holdup, member="B")], {"A": "app"})] == [
        "app",
        "B",
    ]
