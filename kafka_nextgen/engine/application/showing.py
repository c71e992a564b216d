"""How a consumer is displayed: as text in logs and debuggers, and as tables in a notebook.

Both work in any state: for a consumer that is closed, belongs to another process, or whose constructor raised. They
send nothing, and never raise or wait for a broker.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from kafka_nextgen.properties.patterns import SubscriptionPattern
from kafka_nextgen.types import format_partitions

if TYPE_CHECKING:
    from kafka_nextgen.engine.application.core import ConsumerCore

__all__ = ["as_html", "as_text"]

_HEADINGS = ("partition", "position", "lag", "")


def as_text(kind: str, core: ConsumerCore | None) -> str:
    """Return the text of ``repr``; ``kind`` is the consumer's class, ``core`` is None if its constructor raised."""
    if core is None:
        return f"<{kind}: not created>"
    state = _unusable(core) or ", ".join([*_reading(core), *_status(core)])
    return f"<{kind}{_group(core)}: {state}>"


def as_html(kind: str, core: ConsumerCore | None) -> str:
    """Return tables for a notebook: the state of the consumer, and its partitions with their positions."""
    if core is None:
        return escape(as_text(kind, core))
    unusable = _unusable(core)
    title = f"<caption>{escape(kind + _group(core))}</caption>"
    if unusable is not None:
        return _table(title, [[unusable]])
    problem = core.engine.health().problem
    lines = [*_reading(core), *_status(core), *([f"problem: {problem}"] if problem else [])]
    return _table(title, ([line] for line in lines)) + _partitions(core)


def _group(core: ConsumerCore) -> str:
    return f" of group {core.config.group_id}" if core.config.group_id else " without a group"


def _unusable(core: ConsumerCore) -> str | None:
    """Why the state can't be shown, or None."""
    if core.engine.thread.is_foreign:  # its locks may be held forever
        return "created before this process was forked"
    return "closed" if core.closing else None


def _reading(core: ConsumerCore) -> list[str]:
    assignment = core.fetches.assignment()
    if core.topics is None and not assignment:
        return ["nothing subscribed or assigned"]
    subscribed = [] if core.topics is None else [f"subscribed to {_subscription(core)}"]
    return [*subscribed, f"assigned {format_partitions(assignment)}"]


def _subscription(core: ConsumerCore) -> str:
    if isinstance(core.topics, SubscriptionPattern | re.Pattern):
        return f"the pattern {core.topics.pattern}"
    return " ".join(sorted(core.engine.membership.topics))


def _status(core: ConsumerCore) -> list[str]:
    return [] if core.topics is None else [f"member {core.engine.health().status.value}"]


def _partitions(core: ConsumerCore) -> str:
    given_out = core.cursor.given_out()
    progress = core.fetches.look(lambda state: state.progress(given_out)).partitions
    rows = (
        [str(tp), _number(at.position), _number(at.lag), "paused" if at.is_paused else ""]
        for tp, at in sorted(progress.items())
    )
    head = f"<tr>{''.join(f'<th>{name}</th>' for name in _HEADINGS)}</tr>"
    return _table(head, rows) if progress else ""


def _number(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def _table(head: str, rows: Iterable[Iterable[str]]) -> str:
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return f"<table>{head}{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
