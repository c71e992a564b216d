"""Many faults at once, drawn at random: whatever comes together, every record is read in order, and committed.

Among the faults are fences: what was not committed then comes again, from its beginning, and nothing else ever does.
"""

from __future__ import annotations

import random

import pytest

from kafka_nextgen import CommitFailedError, Consumer
from tests.engine.stage import TOPIC, Hears, Stage, poll_until, tp
from tests.sockets.acts import FAULTS, SILENT, limits_for
from tests.sockets.script import Script
from tests.support.examples import examples
from tests.support.waiting import GUARD_S

STEPS = [
    *("api versions", "metadata", "find coordinator", "join", "heartbeat", "acknowledgement", "offset fetch"),
    *("list offsets", "fetch", "commit", "leave"),
]
ERRORS = {
    "find coordinator": ["COORDINATOR_NOT_AVAILABLE"],
    "join": ["NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS", "UNKNOWN_MEMBER_ID"],
    "heartbeat": ["NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS", "FENCED_MEMBER_EPOCH", "UNKNOWN_MEMBER_ID"],
    "acknowledgement": ["NOT_COORDINATOR", "FENCED_MEMBER_EPOCH"],
    "offset fetch": ["NOT_COORDINATOR", "UNSTABLE_OFFSET_COMMIT", "UNKNOWN_TOPIC_OR_PARTITION for orders[0]"],
    "list offsets": ["NOT_LEADER_OR_FOLLOWER", "OFFSET_NOT_AVAILABLE"],
    "commit": ["NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS", "UNKNOWN_TOPIC_ID"],
    "leave": ["NOT_COORDINATOR", "UNKNOWN_MEMBER_ID"],
}


def rules(dice: random.Random) -> str:
    """Return a script of some rules, for some turns each."""
    lines = []
    for _ in range(dice.randrange(2, 8)):
        step = dice.choice(STEPS)
        errors = [f"answer error {code}" for code in ERRORS.get(step, ())]
        lines.append(f"when {step}, {dice.randrange(1, 4)} times: {dice.choice([*FAULTS, *errors])}")
    return "\n".join(lines)


def read_all(consumer: Consumer, heard: Hears) -> None:
    """Read until each partition was read to its end; after a loss that begins anew."""
    came: dict[int, list[int]] = {0: [], 1: []}
    while any(offsets[-1:] != [9] for offsets in came.values()):
        losses = len(heard.lost)
        records = consumer.poll(timeout=GUARD_S)
        if len(heard.lost) > losses:
            came = {0: [], 1: []}
        for record in records:
            came[record.partition].append(record.offset)
    assert came == {0: list(range(10)), 1: list(range(10))}


def commit_at_last(consumer: Consumer) -> None:
    """Commit, once more where a fence came in between: then the member is in its group again first."""
    while True:
        try:
            consumer.commit({tp(partition): 10 for partition in (0, 1)}, timeout=GUARD_S)
        except CommitFailedError:
            consumer.poll(timeout=0.1)  # who does not poll does not hear of the loss, and has what it had still
            poll_until(consumer, lambda: len(consumer.assignment()) == 2)
        else:
            return


@pytest.mark.parametrize("seed", range(examples(15)))
def test_whatever_comes_together_nothing_is_lost(script: Script, stage: Stage, seed: int) -> None:
    stage.create(partitions=2, records=10)
    script.play(rules(random.Random(seed)))
    heard = Hears()
    with stage.consumer(**limits_for(*SILENT)) as consumer:
        consumer.subscribe([TOPIC], listener=heard)
        read_all(consumer, heard)
        commit_at_last(consumer)
    assert stage.committed() == {0: 10, 1: 10}
