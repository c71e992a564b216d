"""The grammar of scenarios: text in, blocks of commands out.

A scenario is blocks with an empty line between them. A block is comments, commands, ``----``, and everything that
then happened; without ``----`` nothing did. A command is a verb, the words it is about, and options:

    heartbeat A epoch=3 owns=orders[0-3] audit[0]
    commit A orders[0]=42 epoch=3

A word with ``key=`` before it begins an option; words after it that are neither an option nor a partition with an
offset (``orders[0]=42``) belong to its value. The first command is ``worlds``, which says where the scenario can be
played. Lines that begin with four spaces are the steps of the ``interleave`` above them.

Only this file knows how scenarios are written, ``playing`` writes them again with what happened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import takewhile

from attrs import evolve, field, frozen

from tests.verification.scenario_language.notation import NotationError

SEPARATOR = "----"
INDENT = "    "

_OPTION = re.compile(r"(?P<key>[a-z][a-z_]*)=(?P<value>.*)")
_OFFSET = re.compile(r"[\w.-]+\[\d+\]=\S*")


class ScenarioError(NotationError):
    """A scenario that can't be played as it is written. The message begins with the line's number."""


@frozen
class Command:
    """One command. ``words`` come before the options; ``steps`` belong to ``interleave`` alone."""

    line: int
    verb: str
    words: tuple[str, ...] = ()
    options: Mapping[str, str] = field(factory=dict)
    steps: tuple[Step, ...] = ()

    @property
    def name(self) -> str:
        """Whom the command is about. Raises ``ScenarioError`` if it doesn't say."""
        if not self.words:
            raise self.error(f"{self.verb} whom or what?")
        return self.words[0]

    def expect(self, words: int | range, *options: str) -> None:
        """Raise ``ScenarioError`` for another number of words, or for an option that is not one of ``options``."""
        allowed = range(words, words + 1) if isinstance(words, int) else words
        if len(self.words) not in allowed:
            raise self.error(f"{self.verb} has {len(self.words)} words: {' '.join(self.words) or '-'}")
        unknown = sorted(self.options.keys() - set(options))
        if unknown:
            known = ", ".join(options) or "none"
            raise self.error(f"{self.verb} has no option {', '.join(unknown)}; there are {known}")

    def error(self, what: str) -> ScenarioError:
        return ScenarioError(f"line {self.line}: {what}")


@frozen
class Step:
    """One line below ``interleave``: commands that keep their order, under a name."""

    name: str
    commands: tuple[Command, ...]


@frozen
class Block:
    """The lines of a block as they are written, its commands, and what is written that happened."""

    written: tuple[str, ...]
    commands: tuple[Command, ...]
    expected: tuple[str, ...]


@frozen
class Scenario:
    """Where a scenario can be played, and its blocks."""

    worlds: tuple[str, ...]
    blocks: tuple[Block, ...]


def parse(text: str) -> Scenario:
    """Read a scenario. Raises ``ScenarioError``."""
    blocks = tuple(_parse_block(first, lines) for first, lines in _split(text))
    commands = [command for block in blocks for command in block.commands]
    if not commands or commands[0].verb != "worlds" or not commands[0].words:
        raise ScenarioError("line 1: the first command has to be worlds, and say where this can be played")
    for command in commands[1:]:
        if command.verb == "worlds":
            raise command.error("worlds belongs at the beginning, once")
    return Scenario(commands[0].words, blocks)


def _split(text: str) -> Iterable[tuple[int, list[str]]]:
    """The blocks, each with the number of its first line."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        block = list(takewhile(str.strip, lines[number:]))
        if block:
            yield number + 1, [line.rstrip() for line in block]
        number += len(block) + 1


def _parse_block(first: int, lines: list[str]) -> Block:
    separators = [index for index, line in enumerate(lines) if line == SEPARATOR]
    if len(separators) > 1:
        raise ScenarioError(f"line {first + separators[1]}: a second {SEPARATOR} in one block")
    end = separators[0] if separators else len(lines)
    commands = _parse_commands(first, lines[:end])
    if separators and not commands:
        raise ScenarioError(f"line {first + end}: nothing is commanded above this {SEPARATOR}")
    return Block(tuple(lines[:end]), commands, tuple(lines[end + 1 :]))


def _parse_commands(first: int, lines: list[str]) -> tuple[Command, ...]:
    commands: list[Command] = []
    for number, line in enumerate(lines, start=first):
        if line.startswith("#"):
            continue
        if not line.startswith(" "):
            commands.append(_parse_command(number, line))
        elif line.startswith(INDENT) and commands and commands[-1].verb == "interleave":
            commands[-1] = evolve(commands[-1], steps=(*commands[-1].steps, _parse_step(number, line)))
        else:
            raise ScenarioError(f"line {number}: only the steps of interleave are indented, by four spaces")
    return tuple(commands)


def _parse_step(number: int, line: str) -> Step:
    name, colon, commands = line.strip().partition(": ")
    if not colon or " " in name:
        raise ScenarioError(f"line {number}: a step is a name, a colon, and commands with semicolons between them")
    return Step(name, tuple(_parse_command(number, command) for command in commands.split("; ")))


def _parse_command(number: int, text: str) -> Command:
    verb, *rest = text.split()
    words: list[str] = []
    options: dict[str, str] = {}
    for word in rest:
        option = _OPTION.fullmatch(word)
        if option is not None:
            if option["key"] in options:
                raise ScenarioError(f"line {number}: {option['key']} twice")
            options[option["key"]] = option["value"]
        elif options and _OFFSET.fullmatch(word) is None:
            last = list(options)[-1]
            options[last] = f"{options[last]} {word}".lstrip()
        else:
            words.append(word)
    return Command(number, verb, tuple(words), options)
