"""A run is recorded: each decision in it, and each thing that was done to the group from outside, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from attrs import define, evolve, field, frozen

from tests.verification.simulation.dice import Dice, Draws, Fault
from tests.verification.simulation.running import Simulation
from tests.verification.simulation.stories.actions import ACTIONS, options_of
from tests.verification.simulation.stories.seams import SCALES, Seam, Seams, written
from tests.verification.simulation.stories.world import PLAIN_REQUEST_TIMEOUT, PLAIN_SETTINGS
from tests.verification.simulation.timeline import BEGINNING


@frozen
class Asked:
    """A decision, as it was made at this time."""

    at: float
    owner: str
    word: str
    value: str
    is_plain: bool


@frozen
class Done:
    """Something was done at this time, as a command."""

    at: float
    command: str


@define
class Log:
    """All that was decided and done, in order."""

    entries: list[Asked | Done] = field(factory=list)
    said: dict[str, Any] = field(factory=dict)  # about the action that goes on
    begins: int = 0  # where it is to stand
    now: Callable[[], float] = field(init=False)

    def asked(self, seam: Seam, value: object, *, is_plain: bool) -> None:
        self.entries.append(Asked(self.now(), seam.owner, seam.word, written(value, seam.word), is_plain))

    def took(self, seam: Seam, seconds: float) -> None:
        """The fault that was noted last takes so long."""
        place = max(at for at, each in enumerate(self.entries) if isinstance(each, Asked) and each.owner == seam.owner)
        entry = self.entries[place]
        assert isinstance(entry, Asked)
        self.entries[place] = evolve(entry, value=written(seconds))

    def mark(self) -> None:
        self.said, self.begins = {}, len(self.entries)

    def done(self, command: str) -> None:
        self.entries.insert(self.begins, Done(self.now(), command))
        self.mark()


class RecordingDice(Seams):
    """The dice of a seed, or of draws, with a log of what they decide."""

    def __init__(self, seed: int, draws: Draws | None, recording: Recording) -> None:
        self._recording = recording
        self._log = recording.log
        super().__init__(seed, draws)

    def _share(self, other: RecordingDice) -> None:
        self._recording, self._log = other._recording, other._log

    def _decide(self, seam: Seam, kind: str, choices: Any, draw: Callable[[], Any]) -> Any:
        value = draw()
        if seam.key == "_run.whole":
            self._recording.note_topic(value)
        elif seam.is_of_action or seam.key == "start.between":
            self._log.said[seam.key] = value
        elif not seam.is_silent:
            is_plain = value is choices[0] if kind == "pick" else value == choices
            self._log.asked(
                seam, _place(choices, value) if kind == "pick" and seam.is_raw else value, is_plain=is_plain
            )
        return value

    def _comes(self, seam: Seam, fault: Fault, draw: Callable[[], bool]) -> bool:
        came = draw()
        if seam.is_of_action:
            self._log.said[seam.key] = came
        elif not seam.is_silent:
            self._log.asked(seam, "", is_plain=not came)
        return came

    def _takes(self, seam: Seam, fault: Fault, low: float, draw: Callable[[], float]) -> float:
        value = draw()
        if seam.is_of_action:
            self._log.said[seam.key] = value
        elif not seam.is_silent:
            self._log.took(seam, value * SCALES.get(fault, 1.0))
        return value

    def comes_up(self, fault: Fault, share: float) -> bool:
        """Whether a fault may come: then something may be done."""
        if not self._name.endswith(", if at all"):
            return super().comes_up(fault, share)
        came = Dice.comes_up(self, fault, share)
        if came:
            self._log.mark()
        return came

    def note(self, fault: Fault) -> None:
        super().note(fault)
        action = ACTIONS.get(fault)
        if action is not None and self._log.said:
            with suppress(KeyError):  # it came by another way, which can't be told
                self._log.done(action(self._recording.cluster, self._log.said))

    def heal(self) -> None:
        super().heal()
        self._log.mark()
        self._log.done("heal")


def _place(choices: Sequence[object], value: object) -> str:
    return f"#{next(at for at, each in enumerate(choices) if each is value)}"


@define(eq=False)
class Recording(Simulation):
    dice: RecordingDice = field(init=False)
    log: Log = field(factory=Log, kw_only=True)
    topics_made: int | None = None
    topics_wanted: int = 0

    def make_dice(self) -> Dice:
        self.log.now = lambda: self.timeline.now
        return RecordingDice(self.seed, self.draws, self)

    def begin(self, name: str) -> None:
        said, begins = self.log.said, self.log.begins
        self.log.begins = len(self.log.entries)
        super().begin(name)
        life = self.lives[name]
        options = [*options_of(self.applications[-1], self._habits_of(name) if life == 1 else None)]
        if self.log.said["start.between"]:
            options.append(f"first_poll={written(self.log.said['start.between'])}")
        self.log.done(" ".join([f"{'member' if life == 1 else 'restart'} {name}", *options]))
        self.log.said, self.log.begins = said, begins  # of what it is a part of

    def note_topic(self, partitions: int) -> None:
        """The first number is how many topics there are, the next ones are how many partitions each has."""
        if self.topics_made is not None and self.topics_made < self.topics_wanted:
            self.log.mark()
            self.log.done(f"topic t{self.topics_made} {partitions}")
            self.topics_made += 1
        elif self.topics_made is None:
            self.topics_made, self.topics_wanted = 0, partitions


#: So much virtual time after the last event all heals, or the story ends: times are written as rounded differences.
_ROOM_S = 1e-6


def commands_in(recording: Recording, *, settles: bool) -> Iterator[str]:
    """All that was decided and done in a run; ``settles`` if it was looked at how the group settles."""
    yield from _settings(recording)
    if settles:
        yield from _actions(recording.log.entries)
        yield "settle"
    else:
        yield from _actions([*recording.log.entries, Done(recording.timeline.now, "")])


def _settings(recording: Recording) -> Iterator[str]:
    settings = recording.cluster.settings
    said = []
    for option, (field_name, plain) in PLAIN_SETTINGS.items():
        value = getattr(settings, field_name)
        if value != plain:
            said.append(f"{option}={_setting(option, value)}")
    timeout = written(recording._request_timeout_s)
    if timeout != PLAIN_REQUEST_TIMEOUT:
        said.append(f"request_timeout={timeout}")
    if said:
        yield f"settings {' '.join(said)}"


def _setting(option: str, value: object) -> str:
    if option == "migration":
        return str(value.value)  # type: ignore[attr-defined]
    return str(value) if option == "max_size" else f"{value}ms"


def _actions(entries: Sequence[Asked | Done]) -> Iterator[str]:
    now = BEGINNING
    yield from _decided(entries, -1)
    for place, entry in enumerate(entries):
        if not isinstance(entry, Done):
            continue
        due = entry.at + (_ROOM_S if entry.command in ("heal", "") else 0.0)
        if due > now:
            yield f"tick {written(due - now)}"
            now = due
        yield from _decided(entries, place)
        if entry.command:
            yield entry.command


def _decided(entries: Sequence[Asked | Done], place: int) -> Iterator[str]:
    """What is decided after this, until something is done."""
    counts: dict[tuple[str, str], int] = {}
    for entry in entries[place + 1 :]:
        if isinstance(entry, Done):
            return
        nth = counts[entry.owner, entry.word] = counts.get((entry.owner, entry.word), 0) + 1
        if not entry.is_plain:
            yield _next(entry, nth)


def _next(asked: Asked, nth: int) -> str:
    value = f" {asked.value}" if asked.value else ""
    return f"next {asked.owner} {asked.word}{value}{f' nth={nth}' if nth > 1 else ''}"
