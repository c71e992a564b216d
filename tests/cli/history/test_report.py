"""The command on small logs: its tables, its document, its page, and logs that are bad."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kafka_nextgen.cli.main import cli
from kafka_nextgen.history.facts import FACTS
from kafka_nextgen.history.json_lines import encode_event
from tests.history.page.reading import document_in, facts_in
from tests.history.story import story

#: When C joins, in ms.
AT = 20_000

_STORY = """
    1.0  coordinator:1 joined A @1
    1.0  coordinator:1 group_epoch A @1 cause=joined
    1.1  consumer:a assigned A @1 orders[0-3]
    5.0  coordinator:1 joined B @2
    5.0  coordinator:1 group_epoch B @2 cause=joined
    5.3  consumer:a revoked A @1 orders[2-3]
    5.4  consumer:a assigned A @2 orders[]
    5.5  consumer:b assigned B @2 orders[2-3]
    15.0 poller:p lag orders[3] offset=100 end=110
    20.0 coordinator:1 joined C @3
    20.0 coordinator:1 group_epoch C @3 cause=joined reason=scaled_up
    20.1 consumer:a assigned A @3 orders[]
    26.0 consumer:b callback B @2 ms=5800 cause=revoked
    26.1 consumer:b revoked B @2 orders[3]
    26.1 consumer:b assigned B @3 orders[]
    27.0 consumer:c assigned C @3 orders[3]
    27.5 poller:p lag orders[3] offset=110 end=900
    40.0 coordinator:1 fenced A @3 cause=poll_timeout
    40.0 coordinator:1 group_epoch A @4 cause=poll_timeout
    40.2 consumer:b assigned B @4 orders[0]
    40.3 consumer:c assigned C @4 orders[1]
    41.0 consumer:a poll_gap A ms=31000
    41.0 consumer:a committed A orders[0] offset=50
    42.0 consumer:a lost A @3 orders[0] offset=80
    42.0 consumer:a lost A @3 orders[1] offset=10
"""


def incident_lines(group: str = "billing", cluster: str = "c") -> list[str]:
    return [encode_event(event) for event in story(_STORY, cluster, group)]


def write_incident(folder: Path, *, more: str = "", group: str = "billing") -> Path:
    log = folder / f"{group}.jsonl"
    log.write_text("\n".join(incident_lines(group)) + "\n" + more)
    return log


def _run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["history", "report", *map(str, arguments)])


def _document(*arguments: str | Path) -> dict[str, Any]:
    done = _run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _rows(text: str, title: str) -> list[list[str]]:
    """The cells of the table below a title, without its header."""
    lines = text.splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith(title)) + 2
    rows = []
    for line in lines[first:]:
        if "  " not in line:
            break
        rows.append([cell.strip() for cell in line.split("  ") if cell.strip()])
    return rows


def test_tables_tell_the_incident(tmp_path: Path) -> None:
    done = _run(write_incident(tmp_path))
    assert (done.exit_code, done.stderr) == (0, "")
    rebalances = _rows(done.stdout, "Rebalances: 4")
    assert [row[1:4] for row in rebalances] == [
        ["1", "joined", "A"],
        ["2", "joined", "B"],
        ["3", "joined", "C"],
        ["4", "poll timeout", "A"],
    ]
    assert rebalances[2][4] == "7.0s"
    assert rebalances[2][8] == "B: callback 5.8s"
    assert _rows(done.stdout, "Standstills: 5")[0][:4] == ["orders[3]", "1970-01-01 00:00:26.100", "900ms", "+780"]
    assert _rows(done.stdout, "Members that held up rebalances")[0] == ["B", "2", "0ms", "0ms", "5.8s", "800ms"]
    assert _rows(done.stdout, "Members that were fenced")[0][:8] == ["A", "A", "-", "1", "0", "1", "1", "31.0s"]
    assert [row[0] for row in _rows(done.stdout, "Partitions with two owners: 2")] == ["orders[0]", "orders[1]"]
    assert _rows(done.stdout, "Partitions lost before a commit: 1")[0][2:6] == ["A", "50", "80", "30"]


def test_a_table_has_the_worst_rows(tmp_path: Path) -> None:
    done = _run(write_incident(tmp_path), "--top", "1")
    assert "Rebalances: the worst 1 of 4" in done.stdout
    assert [row[1] for row in _rows(done.stdout, "Rebalances: the worst")] == ["3"]


def test_a_calm_group_is_told_as_such(tmp_path: Path) -> None:
    log = tmp_path / "calm.jsonl"
    log.write_text("\n".join(incident_lines()[:3]))
    done = _run(log)
    assert done.exit_code == 0
    for title in (
        "Standstills",
        "Partitions with two owners",
        "Partitions lost before a commit",
        "Members that were fenced, rejoined or had errors",
    ):
        assert f"{title}: none" in done.stdout


def test_members_are_called_by_their_clients(tmp_path: Path) -> None:
    clients = {"A": "billing-1", "B": "billing-2", "C": "billing-2"}
    lines = [json.loads(line) for line in incident_lines()]
    named = [{**line, "client": clients[line["member"]]} if line["kind"] == "joined" else line for line in lines]
    log = tmp_path / "named.jsonl"
    log.write_text("\n".join(map(json.dumps, named)))
    done = _run(log)
    assert [row[3] for row in _rows(done.stdout, "Rebalances: 4")] == [
        "billing-1",
        "billing-2 B",
        "billing-2 C",
        "billing-1",
    ]
    assert _rows(done.stdout, "Members that were fenced")[0][:2] == ["billing-1", "A"]
    shown = _run(log, "--at", "1970-01-01T00:00:26.500").stdout
    assert [line.split() for line in shown.splitlines() if "ASSIGNMENT" in line] == [
        ["MEMBER", "PARTITIONS", "LAG", "ASSIGNMENT"]
    ]
    owners = _rows(shown, "Owners at that time")
    assert [row[0] for row in owners] == ["billing-1", "billing-2 B", "no owner"]


def test_a_group_that_all_left_is_told_once(tmp_path: Path) -> None:
    log = tmp_path / "left.jsonl"
    first = json.loads(incident_lines()[0])
    left = {**first, "kind": "left", "at": AT + 90_000, "seq": 10**6}
    epoch = {**left, "kind": "group epoch", "epoch": 9, "cause": "member left", "seq": 10**6 + 1}
    gone = [{**left, "member": member, "seq": 10**6 - number} for number, member in enumerate("ABC", 1)]
    log.write_text("\n".join([*incident_lines(), *map(json.dumps, [*gone, epoch])]))
    done = _run(log)
    assert "no members since 1970-01-01 00:01:50.000 UTC (member left);" in done.stdout
    assert not any("not over" in row for row in _rows(done.stdout, "Standstills"))


def test_the_document_has_all_facts(tmp_path: Path) -> None:
    document = _document(write_incident(tmp_path))
    assert document["problems"] == {}
    [group] = document["groups"]
    assert set(group) == {"cluster", "group", "summary", *FACTS} - {"groups"}
    assert (group["cluster"], group["group"], group["summary"]["rebalances"]) == ("c", "billing", 4)
    assert [each["epoch"] for each in group["rebalances"]] == [1, 2, 3, 4]
    assert [each["began"] for each in group["standstills"]] == [5300, 5300, 26100, 40000, 40000]


def test_groups_are_chosen_by_their_names_and_clusters(tmp_path: Path) -> None:
    for group in ("billing", "orders", "audit"):
        write_incident(tmp_path, group=group)
    (tmp_path / "other.jsonl").write_text("\n".join(incident_lines("billing", "other")))
    both = [("c", "audit"), ("c", "billing"), ("c", "orders"), ("other", "billing")]
    assert _keys(_document(tmp_path)) == both
    assert _keys(_document(tmp_path, "--group", "audit", "--group", "orders")) == [both[0], both[2]]
    assert _keys(_document(tmp_path, "--group", "billing", "--cluster", "other")) == [both[3]]


def _keys(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(group["cluster"], group["group"]) for group in document["groups"]]


def test_since_leaves_out_what_was_over(tmp_path: Path) -> None:
    [group] = _document(write_incident(tmp_path), "--since", "1970-01-01T00:00:30")["groups"]
    assert [each["epoch"] for each in group["rebalances"]] == [4]
    assert group["summary"]["rebalances"] == 1
    assert group["summary"]["unsettled_ms"] == 300
    assert group["summary"]["stood_ms"] == 500
    assert group["summary"]["first"] == 30_000


def test_until_is_what_was_known_then(tmp_path: Path) -> None:
    [group] = _document(write_incident(tmp_path), "--until", "1970-01-01T00:00:26")["groups"]
    assert [(each["epoch"], each["ended"]) for each in group["rebalances"]][-1] == (3, None)
    assert {each["partition"]: each["member"] for each in group["owners"]} == {0: "A", 1: "A", 2: "B", 3: "B"}


def test_at_tells_owners_and_events_around(tmp_path: Path) -> None:
    log = write_incident(tmp_path)
    [group] = _document(log, "--at", "1970-01-01T00:00:26.500", "--within", "1")["groups"]
    assert {each["partition"]: each["member"] for each in group["owners"]} == {0: "A", 1: "A", 2: "B", 3: None}
    assert [each["epoch"] for each in group["rebalances"]] == [3]
    assert [(each["kind"], each["member"]) for each in group["events"]] == [
        ("callback", "B"),
        ("revoked", "B"),
        ("assigned", "B"),
        ("assigned", "C"),
    ]
    done = _run(log, "--at", "1970-01-01T00:00:26.500", "--within", "1")
    assert ["no owner", "1", "10", "orders[3]"] in _rows(done.stdout, "Owners at that time")
    assert [row[0] for row in _rows(done.stdout, "Partitions that stood still around that time")] == ["orders[3]"]
    assert "the log covers" not in done.stdout


def test_a_time_that_the_log_does_not_tell_of_is_said(tmp_path: Path) -> None:
    """A local time in place of UTC, say."""
    done = _run(write_incident(tmp_path), "--at", "1970-01-01T01:00:26")
    assert "the log covers 1970-01-01 00:00:01.000 to 1970-01-01 00:00:42.000 UTC" in done.stdout


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        ("poll timeout", "records processed twice: 30\n"),
        (
            "member expired",
            "records processed twice: at least 30; this does not include records that A read after the last commit",
        ),
    ],
)
def test_what_a_member_that_died_did_twice_is_not_known(tmp_path: Path, cause: str, told: str) -> None:
    log = write_incident(tmp_path)
    log.write_text(log.read_text().replace("poll timeout", cause))
    assert told in _run(log).stdout


def test_what_members_that_died_did_twice_is_unknown_where_none_tells(tmp_path: Path) -> None:
    log = write_incident(tmp_path)
    told = log.read_text().replace("poll timeout", "member expired").splitlines()
    log.write_text("\n".join(line for line in told if json.loads(line)["kind"] != "lost"))
    assert "records processed twice: unknown; this does not include records that A read" in _run(log).stdout


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ('{"v":1,"at":3,"seq"', "1 x torn"),
        ("2026-11-26 INFO started", "1 x foreign"),
        ('{"v":1,"at":1,"seq":1,"source":"consumer:a","cluster":"","group":"g","kind":"danced"}', "1 x unknown kind"),
        ('{"v":1,"at":-1,"seq":1,"source":"consumer:a","cluster":"","group":"g","kind":"left"}', "1 x bad field"),
    ],
)
def test_what_is_wrong_with_a_log_is_told(tmp_path: Path, more: str, problem: str) -> None:
    log = write_incident(tmp_path, more=more)
    done = _run(log)
    assert done.exit_code == 0
    assert f"Warning: {problem} in the log, first in billing.jsonl:26" in done.stderr
    assert "Rebalances: 4" in done.stdout
    assert _document(log)["problems"][problem[4:]]["count"] == 1


@pytest.mark.parametrize("text", ["", "\n\n", "hello\n", '{"v":1', '{"a":1}\n'])
def test_a_log_with_no_event_fails(tmp_path: Path, text: str) -> None:
    log = tmp_path / "empty.jsonl"
    log.write_text(text)
    done = _run(log)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert f"no events in {log}" in done.stderr


def test_a_group_that_is_not_there_fails_and_those_that_are_get_told(tmp_path: Path) -> None:
    done = _run(write_incident(tmp_path), "--group", "bill")
    assert done.exit_code == 1
    assert "it has events of billing" in done.stderr
    assert _run(tmp_path / "none.jsonl").exit_code == 2


def test_names_are_not_obeyed_by_a_terminal(tmp_path: Path) -> None:
    log = tmp_path / "hostile.jsonl"
    log.write_text("\n".join(incident_lines("\x1b[31mred\nForged: line")))
    done = _run(log)
    assert done.exit_code == 0
    assert "\x1b" not in done.output
    assert not [line for line in done.output.splitlines() if line.startswith("Forged")]


def test_the_page_has_the_same_facts_and_what_was_wrong(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = _run(write_incident(tmp_path, more="hello"), "--html", page)
    assert done.exit_code == 0
    assert f"Wrote {page}" in done.stderr
    document = document_in(page.read_text())
    assert [each.epoch for each in facts_in(document)["rebalances"]] == [1, 2, 3, 4]
    assert document["notes"] == ["1 x foreign in the log, first in billing.jsonl:26: not JSON"]


def test_an_event_that_contradicts_another_one_of_its_source_is_told(tmp_path: Path) -> None:
    log = write_incident(tmp_path)
    forged = {**json.loads(incident_lines()[0]), "member": "Z"}
    (tmp_path / "other.jsonl").write_text(json.dumps(forged) + "\n")
    orders = [(log, tmp_path / "other.jsonl"), (tmp_path / "other.jsonl", log)]
    one, other = (_document(*paths) for paths in orders)
    assert one == other
    assert one["problems"]["a source contradicts itself"]["count"] == 1
    assert one["groups"][0]["summary"]["marks"] == ["a source contradicts itself"]


def test_a_group_whose_name_has_half_a_surrogate_pair_has_a_page(tmp_path: Path) -> None:
    log = tmp_path / "odd.jsonl"
    log.write_text("\n".join(incident_lines()).replace('"billing"', '"bill\\udcff"'))
    done = _run(log, "--group", "bill\udcff", "--html", tmp_path / "page\udcff.html")
    assert (done.exit_code, done.exception) == (0, None)
    document = document_in((tmp_path / "page\udcff.html").read_text())
    assert (document["title"], document["groups"][0]["group"]) == ("Rebalance history: bill\udcff", "bill\udcff")
