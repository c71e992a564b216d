"""What is killed, and when: a time after the query began, and then as soon as the query is at a stage."""

from __future__ import annotations

from random import Random

from attrs import frozen

from tests.pyspark.killing.places import Place, Stage
from tests.pyspark.killing.processes import Target

#: A run begins with a few seconds in which Python starts and the first batch is planned.
LONGEST_DELAY_S = 5.0

#: Of so many kills one hits a worker, and one the planner.
RARITY = 7

#: None is any stage. The stage before the first batch is that of the first kill.
STAGES = (None, None, Stage.PLANNING, Stage.READING, Stage.WRITTEN)


@frozen
class Kill:
    """``delay_s`` after the query began or the kill before it in the same run, and then at ``stage`` if not None."""

    target: Target
    stage: Stage | None
    delay_s: float
    chance: float = 0.0

    def __str__(self) -> str:
        aim = "anywhere" if self.stage is None else self.stage.value
        return f"{self.target.value}, {self.delay_s:.1f} s, {aim}"


@frozen
class Killed:
    """A kill, and where the query was then."""

    kill: Kill
    place: Place

    def __str__(self) -> str:
        return f"{self.kill.target.value} killed {self.place}"


def draw_kills(count: int, seed: int) -> list[Kill]:
    """Kills of a seed. The first one is of the driver, right after the query began."""
    random = Random(seed)
    rare = max(1, count // RARITY)
    targets = [Target.PLANNER, Target.WORKER] * rare
    targets += [Target.DRIVER] * (count - 1 - len(targets))
    random.shuffle(targets)
    others = [
        Kill(target, random.choice(STAGES), random.uniform(0, LONGEST_DELAY_S), random.random()) for target in targets
    ]
    return [Kill(Target.DRIVER, None, random.uniform(0, 0.5)), *others][:count]
