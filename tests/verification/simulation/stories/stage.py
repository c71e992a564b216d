"""A simulation that does what it is told: nothing is left to chance, and what is not told is as plain as can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log
from typing import Any

from attrs import define, evolve, field

from kafka_nextgen.membership.classic.settings import ClassicSettings
from kafka_nextgen.membership.events import Subscribed
from tests.verification.scenario_language.notation import NotationError, parse_duration
from tests.verification.simulation.applications import Application
from tests.verification.simulation.assignors import Talkative
from tests.verification.simulation.casting import Casting
from tests.verification.simulation.dice import Dice, Fault
from tests.verification.simulation.faults import Troubles
from tests.verification.simulation.running import Simulation
from tests.verification.simulation.stories.seams import CURVES, SCALES, SHARES, Seam, Seams, name_of, written

#: A client that is gone does not come back by itself: a scenario says when it does.
_NEVER_S = 1e12


@define
class Script:
    """The decisions that are to come, by whom and what they are about: after so many plain ones a value."""

    to_come: dict[tuple[str, str], dict[int, str]] = field(factory=dict)
    now: dict[str, Any] = field(factory=dict)  # what the command that is carried out says, by the seam's key

    def say(self, owner: str, word: str, value: str, nth: int) -> None:
        """Let the nth decision from now on be this one."""
        self.to_come.setdefault((owner, word), {})[nth] = value

    def take(self, seam: Seam) -> str | None:
        """What is decided now; None for the plainest."""
        waiting = self.to_come.get((seam.owner, seam.word))
        if not waiting:
            return None
        value = waiting.pop(1, None)
        self.to_come[seam.owner, seam.word] = {nth - 1: each for nth, each in waiting.items()}
        return value


class ScriptedDice(Seams):
    """Decides as the script says, or as plainly as can be."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._takes_s: str = ""
        super().__init__(0, {})

    def _share(self, other: ScriptedDice) -> None:
        self._script = other._script
        self._takes_s = ""

    def _decide(self, seam: Seam, kind: str, choices: Any, draw: Callable[[], Any]) -> Any:
        plain = choices[0] if kind == "pick" else choices
        if seam.key == "end.between":
            return _NEVER_S
        if seam.key in self._script.now:
            return _read(seam.word, kind, choices, self._script.now[seam.key])
        if seam.is_of_action and "mishap" in self._script.now:
            return _read(seam.word, kind, choices, self._script.now["mishap"])
        said = None if seam.is_silent else self._script.take(seam)
        return plain if said is None else _read(seam.word, kind, choices, said)

    def _comes(self, seam: Seam, fault: Fault, draw: Callable[[], bool]) -> bool:
        if seam.is_silent or seam.is_of_action:
            return seam.key in self._script.now
        said = self._script.take(seam)
        if said is None or self.is_healed:
            return False
        self._takes_s = said
        self.note(fault)
        return True

    def _takes(self, seam: Seam, fault: Fault, low: float, draw: Callable[[], float]) -> float:
        if seam.is_silent or seam.is_of_action:
            return float(self._script.now.get(seam.key, low))
        return parse_duration(self._takes_s) / SCALES.get(fault, 1.0) if self._takes_s else low


def _read(word: str, kind: str, choices: Any, said: Any) -> Any:
    if not isinstance(said, str):
        return said
    if kind == "pick" and said.startswith("#"):
        return choices[int(said[1:])]
    if kind == "pick":
        found = [each for each in choices if written(each) == said]
        if found:
            return found[0]
        if isinstance(choices[0], Subscribed):
            return wish(said)
        raise NotationError(f"{said!r} is none of {', '.join(map(written, choices))}")
    if kind == "whole":
        return int(said)
    if word in CURVES:
        least, factor = CURVES[word]
        return log(parse_duration(said) / least) / log(factor)
    return float(said) if word in SHARES else parse_duration(said)


def wish(said: str) -> Subscribed:
    """What to subscribe to: ``t0 t1``, or ``pattern=t.*``."""
    pattern = said.removeprefix("pattern=")
    return Subscribed(pattern=pattern) if pattern != said else Subscribed(frozenset(said.split()))


@define(eq=False)
class ToldCasting(Casting):
    strategies: tuple[str, ...] = ()  # of the client that begins just now

    def speaks_classic(self, name: str) -> bool:
        """Whether the client speaks the classic protocol, in its life that begins now."""
        return self.spoken.get(name, False)

    def classic_settings(
        self, group: str, instance_id: str | None, own: Sequence[Talkative], *, auto_commit: bool
    ) -> ClassicSettings:
        settings = super().classic_settings(group, instance_id, own, auto_commit=auto_commit)
        return evolve(settings, strategies=self.strategies or settings.strategies)


@define(eq=False)
class Stage(Simulation):
    """What takes part, before anything happens."""

    script: Script = field(factory=Script, kw_only=True)
    casting: ToldCasting = field(init=False)
    troubles: Troubles = field(init=False)

    def make_dice(self) -> Dice:
        return ScriptedDice(self.script)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.casting = ToldCasting(self.dice.stream("casting of what is told"))
        self.troubles = Troubles(self, self.timeline, self.dice.stream("troubles"))

    def called(self, name: str) -> Application | None:
        return next((each for each in self.applications if name_of(each.client.name) == name), None)

    def run_until(self, time: float) -> None:
        """Let happen what is to happen until then, or until something is broken."""
        while not self.judge.broken:
            following = self.timeline.next_time()
            if following is None or following > time:
                self.timeline.now = time
                return
            self.timeline.step()
