"""Tables on a terminal: nothing that a client calls itself is obeyed, or fills the screen."""

from __future__ import annotations

import json

import pytest

from kafka_nextgen.admin import GroupOffset
from kafka_nextgen.cli.groups.members import print_members
from kafka_nextgen.cli.groups.offsets import offset_document, print_offsets
from kafka_nextgen.cli.output import print_json, print_line, print_table
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.collecting.describing import member


def test_a_name_is_escaped_and_cut(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("CLIENT", "HOST"), [("a\x1b[2J\nforged", "h" * 60_000)])
    header, row = capsys.readouterr().out.splitlines()
    assert header.split() == ["CLIENT", "HOST"]
    assert row.startswith(r"a\x1b[2J\nforged  hhh")
    assert row.endswith("h... (60000 characters)")
    assert len(row) < 400


def test_a_cell_of_many_names_is_escaped_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    names = " ".join(f"topic-{number}[0-9]" for number in range(1_000))
    print_table(("ASSIGNMENT",), [(names,), ("a\x1b",)])
    assert capsys.readouterr().out.splitlines()[1:] == [names, r"a\x1b"]


def test_a_line_with_a_name_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_line("Deleted a\nDeleted b.")
    assert capsys.readouterr().out == "Deleted a\\nDeleted b.\n"


def test_json_has_the_names_as_they_are_and_nothing_to_obey(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"client": "größe\x9b\x1b\n"})
    out = capsys.readouterr().out
    assert out.isascii()
    assert "\x1b" not in out
    assert json.loads(out) == {"client": "größe\x9b\x1b\n"}


def test_where_a_log_begins_is_shown_if_records_behind_a_commit_are_gone(capsys: pytest.CaptureFixture[str]) -> None:
    whole = GroupOffset(OffsetAndMetadata(10), 100, start_offset=0)
    cut = GroupOffset(OffsetAndMetadata(10), 100, start_offset=90)
    print_offsets({TopicPartition("orders", 0): whole})
    print_offsets({TopicPartition("orders", 0): whole, TopicPartition("orders", 1): cut})
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["PARTITION", "COMMITTED", "END", "LAG", "MEMBER"],
        ["orders[0]", "10", "100", "90", "-"],
        ["PARTITION", "COMMITTED", "END", "LAG", "MEMBER", "START"],
        ["orders[0]", "10", "100", "90", "-", "0"],
        ["orders[1]", "10", "100", "10", "-", "90"],
    ]
    assert offset_document(TopicPartition("orders", 1), cut)["start_offset"] == 90


@pytest.mark.parametrize(("width", "is_stacked"), [(80, True), (200, False)])
def test_members_wider_than_the_terminal_become_blocks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int, is_stacked: bool
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    print_members([member("e7f19712-182e-4192-b080-ff2b62937c26", "orders-of-today[0-9]"), member("b", "-")])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    assert (lines[0] == "MEMBER        e7f19712-182e-4192-b080-ff2b62937c26") is is_stacked
    assert ("" in lines) is is_stacked, "between two members"
