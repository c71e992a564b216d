"""How commits are found: mappings that share what they have in common, and when to look at which again."""

from __future__ import annotations

from kafka_nextgen.membership.offsets.containers import PersistentMap, Schedule


def test_a_mapping_is_the_same_after_another_was_made_of_it() -> None:
    one: PersistentMap[int, str] = PersistentMap[int, str]().updated({1: "a", 2: "b", 257: "c"})
    other = one.updated({1: "x"}).without([2, 3])
    assert dict(one) == {1: "a", 2: "b", 257: "c"}
    assert dict(other) == {1: "x", 257: "c"}
    assert (len(one), len(other), len(PersistentMap())) == (3, 2, 0)


def test_what_is_due_is_told_once() -> None:
    agenda = Schedule()
    for operation, moment in ((1, 5.0), (2, 3.0), (3, 7.0)):
        agenda.set(operation, moment)
    assert agenda.first() == 3.0
    assert agenda.due(2.9) == frozenset()
    assert agenda.due(5.0) == {1, 2}
    assert agenda.first() == 7.0


def test_what_is_set_last_counts() -> None:
    agenda = Schedule()
    agenda.set(1, 5.0)
    agenda.set(1, 9.0)
    agenda.set(2, 6.0)
    agenda.set(2, None)
    assert agenda.due(8.0) == frozenset()
    assert agenda.first() == 9.0


def test_what_does_not_count_any_more_takes_no_room() -> None:
    agenda = Schedule()
    for operation in range(1000):
        agenda.set(operation, float(operation))
        agenda.set(operation, None)
    assert len(agenda._heap) <= 100


def test_the_earliest_comes_first_also_after_room_was_made() -> None:
    agenda = Schedule()
    for operation, moment in ((1, 9.0), (2, 7.0), (3, 8.0)):
        agenda.set(operation, moment)
    for count in range(200):
        agenda.set(4, 100.0 + count)  # only the last counts: the others are cleared away at some time
    assert agenda.first() == 7.0
    assert agenda.due(8.0) == {2, 3}
