"""Match the rules of ``rules.toml``, and some checks of proselint, against prose."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from extracting import Prose
from proselint.checks import cliches, hedging, malapropisms, mondegreens, nonwords, oxymorons, redundancy
from proselint.registry.checks import Check
from proselint.registry.checks.engine import Fancy, RegexOptions
from proselint.registry.checks.types import Existence, PreferredForms

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["Finding", "findings", "suggestions"]

#: The checks of proselint that find something to change in a manual; others are about essays, dates or titles.
_OF_PROSELINT = (cliches, hedging, malapropisms, mondegreens, nonwords, oxymorons, redundancy)

#: More words than this make a sentence long.
_MOST_WORDS = 40

#: Without exceptions, proselint 0.16 excludes every match of its engine for Python's expressions.
_NO_EXCEPTION = ("(?!)",)

_SENTENCE = re.compile(r"[A-Z][^.!?;:]*?[.!?;:](?=\s|$)", re.S)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|been|being|be) (?:\w+ly )?(?!\w*(?:need|proceed|exceed)ed\b)\w+(?:ed|en)\b(?! by)"
)


@dataclass(frozen=True)
class Finding:
    """A place to change, the reason, and the rule that found it."""

    place: str
    message: str
    rule: str


def findings(prose: Prose) -> Iterator[Finding]:
    """Yield the places that break a rule, in the order of the rules."""
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", prose.text)  # expressions with spaces match across lines
    for check in _checks():
        for result in check.check_with_flags(text):
            yield Finding(prose.place(result.span[0]), result.message, result.check_path)


def suggestions(prose: Prose) -> Iterator[Finding]:
    """Yield long sentences, and passive voice without an agent."""
    for match in _SENTENCE.finditer(prose.text):
        if len(match.group().split()) > _MOST_WORDS:
            yield Finding(prose.place(match.start()), f"a sentence of {len(match.group().split())} words", "length")
    for match in _PASSIVE.finditer(prose.text):
        yield Finding(prose.place(match.start()), f"'{match.group()}': who does it?", "passive")


@cache
def _checks() -> tuple[Check, ...]:
    rules = tomllib.loads((Path(__file__).parent / "rules.toml").read_text())
    own = tuple(_check(name, rule) for name, rule in rules.items())
    return own + tuple(check for module in _OF_PROSELINT for check in module.__register__)


def _check(name: str, rule: dict[str, Any]) -> Check:
    engine = Fancy(RegexOptions(case_insensitive=not rule.get("match_case", False)))
    if "avoid" in rule:
        kind: Any = Existence(tuple(f"(?:{each})" for each in rule["avoid"]), exceptions=_NO_EXCEPTION)
        message = rule["message"]
    else:
        kind = PreferredForms({f"(?:{each})": instead for each, instead in rule["swap"].items()})
        found, instead = "{1}", "{0}"  # the order in which proselint passes them
        message = rule["message"].replace("{found}", found).replace("{instead}", instead)
    return Check(check_type=kind, engine=engine, path=name, message=message)
