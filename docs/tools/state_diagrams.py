"""How the state diagrams of members are drawn: from a machine's table of transitions, along routes set by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from textwrap import wrap
from typing import Any, Generic, TypeVar

from attrs import frozen
from pictures import Picture

from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.state_machine import RowOf

__all__ = ["Route", "StateDiagram", "draw"]

HALF, TALL, LINE = 70, 32, 15

S = TypeVar("S", bound=Enum)


@frozen
class Route(Generic[S]):
    """An arrow from each of ``sources``, or from the frame around them, to each of ``targets``, through ``points``.

    Its label is anchored at ``x``, ``y``. It names the events, unless there are ``words`` instead: if the events differ
    between the statuses, or are those of the label beside it.
    """

    sources: tuple[S, ...]
    targets: tuple[S, ...]
    points: tuple[tuple[int, int], ...]
    x: int
    y: int
    anchor: str = "start"
    words: str = ""
    turned: bool = False


@frozen
class StateDiagram(Generic[S]):
    """What the table does not say: the centre of each status, its colour, and the routes of the arrows.

    ``frames`` are around statuses that share arrows: left, top, width, height. ``note`` is the line at the bottom.
    """

    title: str
    note: str
    height: int
    places: Mapping[S, tuple[int, int]]
    colours: Mapping[S, str]
    frames: tuple[tuple[int, int, int, int], ...]
    routes: tuple[Route[S], ...]


def draw(diagram: StateDiagram[S], rules: Iterable[RowOf[S, Any]]) -> str:
    """The picture. Raises ValueError if arrows were added to the table, or removed."""
    arrows = _arrows(rules)
    drawn = {(here, there) for route in diagram.routes for here in route.sources for there in route.targets}
    if drawn != arrows.keys():
        raise ValueError(f"the routes draw other arrows than the table has: {drawn ^ arrows.keys()}")
    told = "; ".join(f"{here.name} to {there.name}: {', '.join(names)}" for (here, there), names in arrows.items())
    picture = Picture(f"{diagram.title}, as a state diagram", f"The transitions are: {told}.", diagram.height)
    picture.text(16, 28, diagram.title, "title")
    for frame in diagram.frames:
        picture.rect(*frame, "fill box", round_px=10)
    picture.text(500, 170, "leaving, or out", "small faint", "end")
    for status, (x, y) in diagram.places.items():
        picture.rect(x - HALF, y - TALL / 2, 2 * HALF, TALL, diagram.colours.get(status, "faint"), round_px=10)
        picture.text(x, y + 5, status.name, "on small", "middle")
    for route in diagram.routes:
        picture.line(route.points, arrow=True)
        _label(picture, route, arrows)
    picture.text(16, diagram.height - 16, diagram.note, "small faint")
    return str(picture)


def _label(picture: Picture, route: Route[S], arrows: Mapping[tuple[S, S], list[str]]) -> None:
    events = [arrows[here, there] for here in route.sources for there in route.targets]
    if not route.words and any(each != events[0] for each in events):
        raise ValueError(f"arrows from {route.sources} to {route.targets} have different events: {events}")
    lines = wrap(route.words or ", ".join(_short(events[0])), 19)
    up = len(lines) - 1 if route.anchor == "middle" else 0
    for number, words in enumerate(lines):
        y = route.y + LINE * (number - up)
        picture.text(route.x, y, words, "small", route.anchor, turned=route.turned)


def _arrows(rules: Iterable[RowOf[S, Any]]) -> dict[tuple[S, S], list[str]]:
    """The events of each arrow between two statuses."""
    arrows: dict[tuple[S, S], list[str]] = {}
    for row in rules:
        for to in sorted(row.to - {row.status}, key=list(type(row.status)).index):
            arrows.setdefault((row.status, to), []).append(row.event.__name__)
    return arrows


def _short(names: Iterable[str]) -> list[str]:
    """The names, with one phrase for the callbacks and one for the ends of a heartbeat."""
    phrases = dict.fromkeys((each.__name__ for each in ev.CALLBACK_FINISHED), "callback finished")
    if {each.__name__ for each in ev.HEARTBEAT_ENDED} <= set(names):
        phrases |= dict.fromkeys((each.__name__ for each in ev.HEARTBEAT_ENDED), "heartbeat ended")
    return list(dict.fromkeys(phrases.get(name, name) for name in names))
