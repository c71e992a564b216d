"""Faults as lines of text."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.testing import Api
from kafka_nextgen.testing.faults.lines import parse_faults
from kafka_nextgen.testing.faults.making import KINDS, make

TEXT = """
# a comment
OffsetCommit error=COORDINATOR_LOAD_IN_PROGRESS times=2  # another
Fetch delay_s=0.5 client_id='billing 1' topic=orders partition=0 after=3

* silent node=2
Metadata recreate_topic topic=orders
"""


def test_each_line_is_a_fault_with_the_arguments_of_a_call() -> None:
    assert parse_faults(TEXT.splitlines()) == (
        make(Api.OFFSET_COMMIT, {"error": "COORDINATOR_LOAD_IN_PROGRESS", "times": 2}),
        make(Api.FETCH, {"delay_s": 0.5, "client_id": "billing 1", "topic": "orders", "partition": 0, "after": 3}),
        make(None, {"silent": True, "node": 2}),
        make(Api.METADATA, {"recreate_topic": True, "topic": "orders"}),
    )


VALUES = {"error": "NOT_COORDINATOR", "drop": "after", "delay_s": "1", "throttle_s": "1"}
FLAGS = ("cut_connection", "silent", "move_leader", "recreate_topic", "expire_login")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_written(kind: str) -> None:
    argument = kind if kind in FLAGS else f"{kind}={VALUES.get(kind, '1')}"
    needs_target = kind in ("move_leader", "recreate_topic", "lose_tail", "corrupt_offset")
    assert len(parse_faults([f"Fetch {argument} {'topic=orders partition=0' if needs_target else ''}"])) == 1


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("OffsetComit silent", "there is no API OffsetComit: did you mean OffsetCommit?"),
        ("Fetch dely_s=1", "there is no argument dely_s: did you mean delay_s?"),
        ("Fetch delay_s=soon", "delay_s=soon is not a number"),
        ("Fetch delay_s", "delay_s needs a value"),
        ("Fetch silent=yes", "silent takes no value"),
        ("Fetch silent times=1 times=2", "times is given twice"),
        ("Fetch silent client_id='x", "No closing quotation"),
        ("Fetch", "a fault needs exactly one kind: one of error, delay_s"),
        (
            "Fetch error=OFFSET_OUT_OF_RAGE",
            "there is no error code OFFSET_OUT_OF_RAGE: did you mean OFFSET_OUT_OF_RANGE?",
        ),
    ],
)
def test_a_line_that_makes_no_sense_is_refused_by_its_number(line: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_faults(["# faults", line])
    assert str(refused.value).startswith(f"line 2 of the faults file: {complaint}")
