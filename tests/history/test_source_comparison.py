"""Sources of one run, side by side."""

from __future__ import annotations

from kafka_nextgen.history.events import SourceKind
from kafka_nextgen.history.source_comparison import differences, source_views
from tests.history.story import story

COORDINATOR = """
    0.0 coordinator:1 joined A @1
    0.0 coordinator:1 assigned A @1 t[0-1]
    5.0 coordinator:1 joined B @2
    5.5 coordinator:1 revoked A @1 t[1]
    5.6 coordinator:1 assigned A @2
    5.7 coordinator:1 assigned B @2 t[1]
    9.0 coordinator:1 left A @2
"""
CONSUMERS = """
    0.1 consumer:a joined A @1
    0.2 consumer:a assigned A @1 t[0-1]
    5.1 consumer:b joined B @2
    5.4 consumer:a revoked A @1 t[1]
    5.6 consumer:a assigned A @2
    5.8 consumer:b assigned B @2 t[1]
    8.9 consumer:a revoked A @2 t[0]
    9.0 consumer:a left A @2
"""


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
        (SourceKind.POLLER, "member A: joined, out", "nothing", "1, 1"),
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
        ("member B: joined, out", "nothing", "1, 0"),
        ("member worker-1: joined, out", "1, 0", "1, 1"),
        ("member worker-1: epochs", "nothing", "1, 2"),
        ("t[0]: owners", "nothing", "worker-1"),
        ("t[1]: owners", "B", "worker-1, B"),
    ]


def test_one_source_differs_from_nothing() -> None:
    assert differences(source_views(story(COORDINATOR))) == []
    assert differences({}) == []
