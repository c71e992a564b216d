from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable
from importlib.resources import files

import pytest

from kafka_nextgen.cli.demonstration.dataset import load_flights
from tests.cli.running import kafka_nextgen

PROOF = re.compile(r"Proved: all 51,955 flights were processed, and the only ones processed twice are ")


def test_the_data_set_is_what_its_description_says() -> None:
    folder = files("kafka_nextgen.cli") / "data"
    unpacked = gzip.decompress((folder / "flights.csv.gz").read_bytes())
    assert hashlib.sha256(unpacked).hexdigest() in (folder / "README.md").read_text()


def test_flights_are_keyed_by_aircraft() -> None:
    flights = load_flights()
    assert len(flights) == 51_955
    assert flights[0].tail_number == b"N14228"
    assert flights[0].line.startswith(b"2013,1,1,517,515,")


@pytest.mark.timeout(90)
def test_the_demonstration_proves_itself_without_a_terminal(figures: Callable[[str], None]) -> None:
    done = kafka_nextgen("demo", timeout_s=80)
    assert done.returncode == 0, done.stderr + done.stdout
    lines = done.stdout.splitlines()
    assert PROOF.match(lines[-1])
    for event in ("consumer-3 starts", "consumer-1 has left", "consumer-2 was killed (SIGKILL)"):
        assert any(event in line for line in lines), event
    assert "\x1b" not in done.stdout
    figures(lines[-1])
