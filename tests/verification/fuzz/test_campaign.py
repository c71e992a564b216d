"""Whether the fuzzer finds what it is to find: each kind of fault, planted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.waiting import GUARD_S
from tests.verification.fuzz.campaign import Campaign, Finding

TRIGGER = 0xFF


@pytest.mark.parametrize(
    ("fault", "what", "hang_s"),
    [
        ("exception", "IndexError: index out of range", GUARD_S),
        ("death", "the process ended with status -6", GUARD_S),
        ("memory", "refused because of MemoryError", GUARD_S),
        ("hang", "no end within", GUARD_S / 60),
    ],
)
def test_a_fault_is_found_with_the_input_that_leads_to_it(fault: str, what: str, hang_s: float) -> None:
    campaign = Campaign(f"planted-{fault}", "mutator", seconds=GUARD_S, seed=1, hang_s=hang_s, most_findings=1)
    campaign.run()
    (finding,) = campaign.findings.values()
    assert what in finding.what
    assert finding.data[0] == TRIGGER
    assert campaign.inputs > 0


def test_time_that_grows_with_more_than_the_bytes_of_an_input_is_found() -> None:
    campaign = Campaign("planted-blocks", "mutator", seconds=GUARD_S, seed=1, hang_s=GUARD_S, most_findings=1)
    campaign.run()
    (finding,) = campaign.findings.values()
    assert "turns of a loop" in finding.what


def test_a_finding_is_kept_with_what_it_led_to(tmp_path: Path) -> None:
    path = Finding(b"\xffx", "IndexError").keep_in(tmp_path / "found", "records")
    assert path.name.startswith("records-")
    assert (path.read_bytes(), path.with_suffix(".txt").read_text()) == (b"\xffx", "IndexError")
