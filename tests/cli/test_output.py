"""Tables on a terminal: nothing that a client calls itself is obeyed, or fills the screen."""

from __future__ import annotations

import json
from typing import Any

import click
import pytest

from kafka_nextgen.admin import GroupOffset
from kafka_nextgen.cli.groups.members import print_members
from kafka_nextgen.cli.groups.offsets import offset_document, print_offsets
from kafka_nextgen.cli.output import print_json, print_line, print_table
from kafka_nextgen.cli.times import TIME, duration_text, time_text
from kafka_nextgen.errors import GroupNotFoundError, MisuseError
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


WIDE = ("GROUP", "STATE", "TARGET EPOCH", "COORDINATOR", "LAG")
ROWS = [
    ("billing-of-the-north", "Stable", 12, "10.0.0.17:9092 (node 3)", 1_234_567),
    ("billing", "CompletingRebalance", None, "kafka-1.internal.example:9092 (node 1)", None),
]


def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int, rows: list[Any]) -> str:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    print_table(WIDE, rows)
    return capsys.readouterr().out


@pytest.mark.parametrize("width", [*range(10, 130, 3), 80])
def test_no_width_of_a_terminal_breaks_a_word(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    out = shown(monkeypatch, capsys, width, ROWS)
    wanted = " ".join(str(cell) for row in ROWS for cell in row if cell is not None).split()
    assert sorted(word for word in out.split() if word in wanted) == sorted(wanted)
    too_long = [line for line in out.splitlines() if len(line) > width and len(line.split()) > 3]
    assert too_long == [], "only a word that is too long for a line of a block"


def test_cells_are_folded_between_words_the_widest_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(monkeypatch, capsys, 90, ROWS).splitlines() == [
        "                                            TARGET",
        "GROUP                 STATE                  EPOCH  COORDINATOR                        LAG",
        "billing-of-the-north  Stable                    12  10.0.0.17:9092 (node 3)        1234567",
        "billing               CompletingRebalance        -  kafka-1.internal.example:9092        -",
        "                                                    (node 1)",
    ]


def test_rows_whose_words_do_not_fit_become_blocks_with_folded_values(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(monkeypatch, capsys, 44, ROWS).splitlines()[-5:] == [
        "",
        "GROUP         billing",
        "STATE         CompletingRebalance",
        "COORDINATOR   kafka-1.internal.example:9092",
        "              (node 1)",
    ]


def test_a_table_without_rows_is_its_header_on_any_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(monkeypatch, capsys, 5, []).split() == " ".join(WIDE).split()


def test_json_is_made_of_values(capsys: pytest.CaptureFixture[str]) -> None:
    refused = GroupNotFoundError("group g: GROUP_ID_NOT_FOUND", code=69, group="g")
    print_json(
        {
            "partitions": frozenset({TopicPartition("b", 1), TopicPartition("a", 10), TopicPartition("a", 2)}),
            "none": frozenset(),
            "refused": refused,
            "failed": MisuseError("it is closed"),
        }
    )
    assert json.loads(capsys.readouterr().out) == {
        "partitions": {"a": [2, 10], "b": [1]},
        "none": {},
        "refused": {
            "type": "GroupNotFoundError",
            "code": "GROUP_ID_NOT_FOUND",
            "message": "group g: GROUP_ID_NOT_FOUND",
        },
        "failed": {"type": "MisuseError", "code": None, "message": "it is closed"},
    }


# ---- times and durations as people write and read them


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("0", 0),
        ("1790000000123", 1_790_000_000_123),
        ("1970-01-01T00:00:01", 1_000),
        ("1970-01-01 00:00:01.250", 1_250),
        ("1970-01-01T02:00:00+02:00", 0),
        ("1970-01-01T00:00:02Z", 2_000),
        ("1970-01-02", 86_400_000),
    ],
)
def test_a_time_is_read(text: str, at: int) -> None:
    assert TIME.convert(text, None, None) == at


@pytest.mark.parametrize("text", ["", "yesterday", "-1", "14:03", "1969-12-31T23:59:59", "20261126T140300"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        TIME.convert(text, None, None)


@pytest.mark.parametrize("text", ["20261126", "202611261403", "1795701600", "20261126140300", "00", "9" * 20])
def test_a_number_that_may_be_a_date_or_seconds_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match=f"'{text}' is ambiguous: .* Write a date as 2026-11-26"):
        TIME.convert(text, None, None)


@pytest.mark.parametrize(
    ("ms", "text"), [(None, None), (0, "0ms"), (999, "999ms"), (1500, "1.5s"), (125_000, "2m05s"), (7_500_000, "2h05m")]
)
def test_a_duration_has_a_unit_that_fits(ms: int | None, text: str | None) -> None:
    assert duration_text(ms) == text


@pytest.mark.parametrize(("at", "text"), [(1_790_000_000_007, "2026-09-21 14:13:20.007"), (1 << 62, str(1 << 62))])
def test_a_time_is_written(at: int, text: str) -> None:
    assert time_text(at) == text
