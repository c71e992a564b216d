"""The catalogue of a data directory: what is read again, what is cut off, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafka_nextgen.errors import StorageError
from kafka_nextgen.testing.broker.storage import Catalogue
from kafka_nextgen.testing.broker.storage.journal import Journal
from tests.support.examples import examples
from tests.testing.broker.storage.batches import scratch

KEYS = ("orders", "audit", "bestellungen äöü\n\r")
TEXT = 'aä\n\r"\\'  # of all of Unicode, hypothesis would make tables first

changes = st.lists(
    st.tuples(st.sampled_from(("topic", "group")), st.sampled_from(KEYS), st.none() | st.integers() | st.text(TEXT)),
    max_size=12,
)


def opened(directory: Path) -> Catalogue:
    catalogue = Catalogue()
    catalogue.open(Journal(directory / "catalogue.log"))
    return catalogue


def entries(catalogue: Catalogue) -> dict[str, dict[str, object]]:
    return {kind: dict(catalogue.entries(kind)) for kind in ("topic", "group")}


@settings(max_examples=examples(50))
@given(changes, st.data())
def test_a_journal_that_is_cut_anywhere_behind_its_first_line_has_the_changes_before(
    made: list[tuple[str, str, object]], data: st.DataObject
) -> None:
    with scratch() as directory:
        catalogue = opened(directory)
        path = directory / "catalogue.log"
        header = path.stat().st_size
        states = [entries(catalogue)]
        for kind, key, value in made:
            if value is None:
                catalogue.remove(kind, key)
            else:
                catalogue.put(kind, key, value, sync=False)
            states.append(entries(catalogue))
        os.truncate(path, data.draw(st.integers(header, path.stat().st_size)))
        again = opened(directory)
        assert entries(again) in states
        assert again.cluster_id == catalogue.cluster_id
        again.put("topic", "next", 1)
        assert entries(opened(directory)) == entries(again)


def test_nothing_is_lost_when_the_file_is_whole(tmp_path: Path) -> None:
    catalogue = opened(tmp_path)
    catalogue.put("topic", "orders", {"replicas": [[1, 2]]})
    catalogue.put("topic", "audit", 1)
    catalogue.remove("topic", "audit")
    catalogue.remove("topic", "never there")
    again = opened(tmp_path)
    assert entries(again) == {"topic": {"orders": {"replicas": [[1, 2]]}}, "group": {}}
    assert again.cluster_id == catalogue.cluster_id


def test_damage_before_the_end_is_refused(tmp_path: Path) -> None:
    catalogue = opened(tmp_path)
    catalogue.put("topic", "orders", 1)
    catalogue.put("topic", "audit", 2)
    path = tmp_path / "catalogue.log"
    path.write_bytes(path.read_bytes().replace(b"orders", b"ordexs"))
    with pytest.raises(StorageError, match=r"catalogue\.log is damaged in line 2 of 3: restore the directory"):
        opened(tmp_path)


def test_a_journal_of_something_else_is_refused(tmp_path: Path) -> None:
    for first_line, message in (
        ({"format": "other"}, "is not the catalogue of a broker's data directory"),
        ({"format": "kafka-nextgen data", "version": 2}, "has layout version 2"),
    ):
        Journal(tmp_path / "catalogue.log").rewrite([first_line])
        with pytest.raises(StorageError, match=message):
            opened(tmp_path)


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "catalogue.log").write_bytes(b"hello")
    with pytest.raises(StorageError, match="is not a journal"):
        opened(tmp_path)
    assert (tmp_path / "catalogue.log").read_bytes() == b"hello"


def test_what_no_longer_counts_is_left_out_in_the_end(tmp_path: Path) -> None:
    catalogue = opened(tmp_path)
    catalogue.put("group", "billing", "x" * 20)
    line = (tmp_path / "catalogue.log").stat().st_size
    for number in range(2_000):
        catalogue.put("group", "billing", number, sync=False)
    assert (tmp_path / "catalogue.log").stat().st_size < 1_200 * line
    again = opened(tmp_path)
    again.put("group", "shipping", 1)
    assert entries(opened(tmp_path))["group"] == {"billing": 1_999, "shipping": 1}
