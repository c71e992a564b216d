"""How far a streaming query is: what its checkpoint and the log of its file sink say.

Spark writes three files for each batch, each at once by a rename: ``checkpoint/offsets/N`` when the batch is planned,
``rows/_spark_metadata/N`` when its Parquet files are complete, and ``checkpoint/commits/N`` when it is done. So the
files say where a kill hit the query.
"""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path

from attrs import frozen

#: The number of the last batch if there is no batch.
NONE = -1


class Stage(Enum):
    """What a query is doing."""

    BEGINNING = "before the first batch"
    PLANNING = "between two batches"
    READING = "in a batch"
    WRITTEN = "between the files of a batch and its commit"


@frozen
class Place:
    """The numbers of the last batches that are planned, complete in the sink, and done; ``NONE`` if there is none."""

    planned: int
    written: int
    done: int

    @property
    def stage(self) -> Stage:
        if self.planned == NONE:
            return Stage.BEGINNING
        if self.planned == self.done:
            return Stage.PLANNING
        return Stage.WRITTEN if self.written == self.planned else Stage.READING

    def __str__(self) -> str:
        return self.stage.value if self.planned == NONE else f"{self.stage.value} (batch {self.planned})"


def place_of(home: Path) -> Place:
    """Where the query of this folder is."""
    done = _last(checkpoint_of(home) / "commits")
    return Place(_last(checkpoint_of(home) / "offsets"), _last(rows_of(home) / "_spark_metadata"), done)


def end_of_batch(home: Path, number: int) -> dict[int, int]:
    """Where a planned batch ends, by partition of the one topic; nothing for ``NONE``."""
    if number == NONE:
        return {}
    lines = (checkpoint_of(home) / "offsets" / str(number)).read_text().splitlines()
    (offsets,) = json.loads(lines[-1]).values()
    return {int(partition): offset for partition, offset in offsets.items()}


def checkpoint_of(home: Path) -> Path:
    return home / "checkpoint"


def rows_of(home: Path) -> Path:
    return home / "rows"


def _last(folder: Path) -> int:
    """The greatest number that a file is named by; every tenth log of a sink is named ``N.compact``."""
    if not folder.exists():
        return NONE
    numbers = (entry.name.removesuffix(".compact") for entry in folder.iterdir())
    return max((int(number) for number in numbers if number.isdigit()), default=NONE)
