"""The rows of ``found.md``, one for each planted bug: what it does, which is written by hand, and how it was found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

from tests.verification.simulation.mutants.trying import Seed, Trial

#: The cells of a row that follow the name and the sentences.
HOW_FOUND = ("seeds", "found by", "scenario", "known seed")
_KNOWN = re.compile(r"(\d+), (\d+) events(, healed)?")
_SUMMARY = re.compile(r"Written by .*? within 10 seeds\.", re.DOTALL)


def rows_of(page: str) -> dict[str, Mapping[str, str]]:
    """How each bug was found, by its name, as the page says it."""
    return {
        name: dict(zip(HOW_FOUND, found, strict=True)) for name, _, *found in map(_cells, page.splitlines()) if name
    }


def _cells(line: str) -> Sequence[str]:
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    is_row = len(cells) == 2 + len(HOW_FOUND) and cells[0] not in ("mutant", "---")
    return cells if is_row else ["", ""]


def with_rows(page: str, rows: Mapping[str, Mapping[str, str]]) -> str:
    """The page with what these rows say, which may be less than all."""
    before = rows_of(page)
    lines = []
    for line in page.splitlines():
        name, does, *_ = _cells(line)
        cells = [name, does, *{**before.get(name, {}), **rows.get(name, {})}.values()]
        lines.append(f"| {' | '.join(cells)} |" if name in rows else line)
    return "\n".join(lines) + "\n"


def row(trial: Trial, scenario: str | None) -> Mapping[str, str]:
    seeds, rules = trial.seeds, "; ".join(trial.rules).replace("|", "\\|")
    seen = f"alive after {trial.tried}" if seeds is None else str(seeds)
    known = written(None if trial.shortest is None else trial.shortest.known)
    cells = (seen, rules or "none", "none" if scenario is None else f"`{scenario}`", known)
    return dict(zip(HOW_FOUND, cells, strict=True))


def with_summary(page: str, seeds: Sequence[int | None], starts: int, most: int) -> str:
    """The page with a sentence on how many seeds all bugs took."""
    found = [each for each in seeds if each is not None]
    return _SUMMARY.sub(
        f"Written by `python -m tests.verification.simulation.mutants --write --starts {starts} --most {most}` on "
        f"{datetime.now(timezone.utc):%Y-%m-%d}: of {len(seeds)} bugs\n{len(found)} were found, "
        f"{sum(each <= 10 for each in found)} of them within 10 seeds.",
        page,
    )


def written(seed: Seed | None) -> str:
    return "none" if seed is None else f"{seed[0]}, {seed[1]} events{', healed' if seed[2] else ''}"


def known_in(page: str) -> dict[str, Seed]:
    known = ((name, _KNOWN.fullmatch(row["known seed"])) for name, row in rows_of(page).items())
    return {name: (int(seed[1]), int(seed[2]), seed[3] is not None) for name, seed in known if seed}
