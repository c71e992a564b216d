"""Makes a story small: commands and options are left out, and numbers made round, as long as it ends as it did."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import define

from tests.verification.simulation.stories.seams import written


@define
class Editor:
    """Tries fewer commands, at most so many times; ``holds`` says whether some still show the same."""

    commands: tuple[str, ...]
    holds: Callable[[Sequence[str]], bool]
    tries: int

    def run(self) -> tuple[str, ...]:
        """As few commands as show it, and as plain ones."""
        self._leave_out_kinds(_topic_of)
        self._leave_out_kinds(_about)
        self._leave_out_kinds(_stream_of)
        self._leave_out_commands()
        self._each(_without_options)
        self._each(_rounder)
        self._leave_out_commands()
        self._join_ticks()
        return self.commands

    def _take(self, commands: Sequence[str]) -> bool:
        """Try these; keep them if they show the same."""
        if self.tries <= 0:
            return False
        self.tries -= 1
        holds = self.holds(commands)
        self.commands = tuple(commands) if holds else self.commands
        return holds

    def _leave_out_kinds(self, kind_of: Callable[[str], str]) -> None:
        """Leave out all commands of some kinds, the most frequent first: of many kinds at a time, then of fewer."""
        left = [kind for kind, _ in Counter(map(kind_of, self.commands)).most_common()]
        size = len(left) // 2
        while size:
            for some in [set(left[at : at + size]) for at in range(0, len(left), size)]:
                if self._take([each for each in self.commands if kind_of(each) not in some]):
                    left = [kind for kind in left if kind not in some]
            size //= 2

    def _leave_out_commands(self) -> None:
        size = max(1, len(self.commands) // 2)
        while size:
            at = len(self.commands) - size
            while at >= 0:
                self._take([*self.commands[:at], *self.commands[at + size :]])
                at = min(at - size, len(self.commands) - size)
            size //= 2

    def _each(self, simpler: Callable[[str], Iterable[str]]) -> None:
        """Make each command simpler, as often as that works."""
        at = 0
        while at < len(self.commands):
            before, after = self.commands[:at], self.commands[at + 1 :]
            at += not any(self._take([*before, other, *after]) for other in simpler(self.commands[at]))

    def _join_ticks(self) -> None:
        for at in reversed(range(len(self.commands) - 1)):
            first, second = self.commands[at : at + 2]
            if first.startswith("tick ") and second.startswith("tick "):
                total = float(first[5:-1]) + float(second[5:-1])
                self._take([*self.commands[:at], f"tick {written(total)}", *self.commands[at + 2 :]])


def _topic_of(command: str) -> str:
    """What a command says: its verb, or what kind of decision it is about."""
    verb, *words = command.split()
    return " ".join([verb, *words[1:2]]) if verb == "next" else verb


def _about(command: str) -> str:
    verb, *words = command.split()
    return words[0].partition("/")[0] if words else verb


def _stream_of(command: str) -> str:
    """The stream of a draw; of other commands nothing."""
    verb, *words = command.split()
    return words[0] if verb == "draw" else ""


def _without_options(command: str) -> Iterator[str]:
    """The same with fewer options; the fewest first."""
    words = command.split(" ")
    options = [at for at, word in enumerate(words) if "=" in word]
    if not options or words[0] == "next":
        return
    yield " ".join(words[: options[0]])
    for at, begin in enumerate(options):
        end = options[at + 1] if at + 1 < len(options) else len(words)
        yield " ".join([*words[:begin], *words[end:]])


def _rounder(command: str) -> Iterator[str]:
    """The same with one number rounder; the roundest first."""
    if command.startswith("run "):
        events = int(command.split()[1])
        yield from (
            command.replace(str(events), str(fewer), 1) for fewer in (events // 2, events * 9 // 10, events - 1)
        )
    for number in re.finditer(r"\d+\.\d+", command):
        for digits in (0, 1, 2, 3):
            for value in (float(number[0]), float(number[0]) + 0.5 * 10**-digits):
                other = f"{command[: number.start()]}{value:.{digits}f}{command[number.end() :]}"
                if len(other) < len(command):
                    yield other
