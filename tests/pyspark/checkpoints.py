"""What is in a checkpoint directory: the end of each batch, and which batches are done."""

from __future__ import annotations

import json
from pathlib import Path


def ends_of_batches(checkpoint: Path) -> list[dict[str, dict[str, int]]]:
    """Where each planned batch of a query of one source ends, by topic and partition."""
    logs = [(checkpoint / "offsets" / str(number)).read_text() for number in _numbers(checkpoint / "offsets")]
    return [json.loads(log.splitlines()[-1]) for log in logs]


def batches_done(checkpoint: Path) -> list[int]:
    """The numbers of the batches that are done."""
    return _numbers(checkpoint / "commits")


def forget_last_commit(checkpoint: Path) -> None:
    """Make the last batch one that was planned and not done, as after a crash."""
    last = str(batches_done(checkpoint)[-1])
    (checkpoint / "commits" / last).unlink()
    (checkpoint / "commits" / f".{last}.crc").unlink(missing_ok=True)


def _numbers(folder: Path) -> list[int]:
    return sorted(int(entry.name) for entry in folder.iterdir() if entry.name.isdigit())
