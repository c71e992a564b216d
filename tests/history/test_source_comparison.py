"""Sources of one run, side by side."""

from __future__ import annotations

from kafka_nextgen.history.events import SourceKind
from kafka_nextgen.history.source_comparison import differences, source_views
from tests.history.example_stories import CONSUMERS, COORDINATOR
from tests.history.story import story


def test_two_sources_that_tell_the_same() -> None:
    told = source_views(story(COORDINATOR) + story(CONSUMERS))
    assert list(told) == [SourceKind.CONSUMER, SourceKind.COORDINATOR]
    assert told[SourceKind.CONSUMER].owners == {("t", 0): ("A",), ("t", 1): ("A", "B")}
    assert told[SourceKind.CONSUMER].members == {"A": (1, 1), "B": (1, 0)}
    assert differences(told) == []


def test_what_a_poller_did_not_see_is_listed() -> None:
    poller = """
        6.0 poller:p joined A @2 cause=begins_in_the_middle
        6.0 poller:p assigned A @2 t[0] cause=begins_in_the_middle
        6.0 poller:p joined B @2
        6.0 poller:p assigned B @2 t[1]
    """
    found = differences(source_views(story(CONSUMERS) + story(poller)))
    assert [(each.source, each.about, each.told, each.expected) for each in found] == [
        (SourceKind.POLLER, "member A: times joined and left", "nothing", "1, 1"),
        (SourceKind.POLLER, "member A: epochs", "2", "1, 2"),
        (SourceKind.POLLER, "t[1]: owners", "B", "A, B"),
    ]


def test_members_are_called_by_their_names() -> None:
    poller = """
        6.0 poller:p joined A @2
        6.0 poller:p assigned B @2 t[1]
    """
    found = differences(source_views(story(CONSUMERS) + story(poller)), {"A": "worker-1"})
    assert [(each.about, each.told, each.expected) for each in found] == [
        ("member B: times joined and left", "nothing", "1, 0"),
        ("member worker-1: times joined and left", "1, 0", "1, 1"),
        ("member worker-1: epochs", "nothing", "1, 2"),
        ("t[0]: owners", "nothing", "worker-1"),
        ("t[1]: owners", "B", "worker-1, B"),
    ]


def test_one_source_differs_from_nothing() -> None:
    assert differences(source_views(story(COORDINATOR))) == []
    assert differences({}) == []
