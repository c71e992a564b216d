from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from kafka_nextgen.cli.demonstration.flights import load_flights
from kafka_nextgen.cli.demonstration.progress import PARTITION_COUNT
from tests.cli.running import kafka_nextgen

PROOF = re.compile(r"Proved: all 51,955 flights were processed, (and the only ones processed|none of them) twice")


def test_the_data_set_is_what_its_description_says() -> None:
    folder = files("kafka_nextgen.cli") / "data"
    unpacked = gzip.decompress((folder / "flights.csv.gz").read_bytes())
    assert hashlib.sha256(unpacked).hexdigest() in (folder / "README.md").read_text()


def test_flights_are_keyed_by_aircraft() -> None:
    flights = load_flights()
    assert len(flights) == 51_955
    assert flights[0].tail_number == b"N14228"
    assert flights[0].line.startswith(b"2013,1,1,517,515,")


def test_the_demonstration_proves_itself_without_a_terminal(figures: Callable[[str], None], tmp_path: Path) -> None:
    done = kafka_nextgen("demo", "--history", str(tmp_path / "demo.jsonl"))
    assert done.returncode == 0, done.stderr + done.stdout
    lines = done.stdout.splitlines()
    assert PROOF.match(lines[-1])
    for event in ("consumer-3 starts", "consumer-1 has left", "consumer-2 was killed (SIGKILL)"):
        assert any(event in line for line in lines), event
    assert "\x1b" not in done.stdout
    figures(lines[-1])
    check_report(tmp_path)


def check_report(folder: Path) -> None:
    """The report of the demonstration's history tells what its script did."""
    done = kafka_nextgen("history", "report", str(folder), "--group", "demo", "--json")
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(done.stdout)["groups"]
    named = {row["member"]: row["client"] for row in told["members"]}
    fates = {row["client"]: (row["joined"], row["left"], row["fenced"]) for row in told["members"]}
    assert fates == {"consumer-1": (1, 1, 0), "consumer-2": (1, 0, 1), "consumer-3": (1, 1, 0)}
    causes = [(row["cause"], named.get(row["by"])) for row in told["rebalances"]]
    assert [who for why, who in causes if why == "member joined"][2:] == ["consumer-3"]
    assert causes[-3:] == [
        ("member left", "consumer-1"),
        ("member expired", "consumer-2"),
        ("member left", "consumer-3"),
    ]
    assert told["overlaps"] == []
    died = [row for row in told["standstills"] if row["cause"] == "member expired"]
    assert {named[row["former"]] for row in died} == {"consumer-2"}
    assert max(row["lag_after"] for row in died) > 0
    last = {(row["topic"], row["partition"]): row["committed"] for row in told["owners"]}
    assert (len(last), sum(last.values())) == (PARTITION_COUNT, 51_955)
