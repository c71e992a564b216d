"""Which tests a run has, by its options; and what it says of those that it leaves out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import tiers

ROOT = Path(__file__).parents[2]

WHOLE = "tests/verification/soak/test_soak.py::test_a_short_soak_accounts_for_every_record[embedded]"
KAFKA = "tests/support/test_real_kafka.py::test_a_real_broker_has_the_consumer_protocol["
RANDOM = "tests/wire/test_aborted.py::test_exactly_what_was_committed_is_read_from_any_offset"
DEFAULT = "tests/support/test_real_kafka.py::test_under_ci_a_missing_broker_is_a_failure[1-True]"
MODULES = sorted({name.partition("::")[0] for name in (WHOLE, KAFKA, RANDOM, DEFAULT)})


def collect(*arguments: str) -> str:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def names_in(collected: str) -> set[str]:
    return {name for name in (DEFAULT, RANDOM, KAFKA, WHOLE) if name in collected}


@pytest.mark.whole
def test_the_default_tier_leaves_out_the_whole_and_says_by_which_option_it_is_run() -> None:
    collected = collect(*MODULES)
    assert names_in(collected) == {DEFAULT, RANDOM}
    assert "tests of the whole were left out; --all runs them, too" in collected


@pytest.mark.whole
def test_the_rest_is_the_whole_and_the_random_tests() -> None:
    """And ``--all`` is everything."""
    assert names_in(collect("--rest", *MODULES)) == {RANDOM, KAFKA, WHOLE}
    everything = collect("--all", *MODULES)
    assert names_in(everything) == {DEFAULT, RANDOM, KAFKA, WHOLE}
    assert "left out" not in everything


def test_what_is_listed_is_there() -> None:
    for place in tiers.WHOLE:
        path, _, test = place.partition("::")
        assert (tiers.TESTS / path).exists(), place
        assert not test or f"def {test}(" in (tiers.TESTS / path).read_text(), place
