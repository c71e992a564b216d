"""Draw docs/internals/plots/member-states.svg from the table of transitions of a member.

    python docs/tools/make_member_states.py

``ROUTES`` says where the arrows are drawn; that these are all arrows, and their events, come from the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from textwrap import wrap

from attrs import frozen
from pictures import Picture

from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.states import Status
from kafka_nextgen.membership.transitions import RULES

__all__ = ["member_states_picture"]

PICTURE = Path(__file__).parents[1] / "internals" / "plots" / "member-states.svg"
HALF, TALL, LINE = 70, 32, 15

MEMBER = (Status.RECONCILING, Status.ACKNOWLEDGING, Status.STABLE)
IN = (Status.JOINING, *MEMBER)
OUT = (Status.FENCED, Status.PREPARE_LEAVING, Status.LEAVING, Status.STALE)

#: The centre of each status.
PLACES = {
    Status.UNSUBSCRIBED: (180, 80),
    Status.JOINING: (95, 190),
    Status.RECONCILING: (95, 286),
    Status.ACKNOWLEDGING: (95, 374),
    Status.STABLE: (95, 446),
    Status.FATAL: (95, 556),
    Status.FENCED: (395, 250),
    Status.PREPARE_LEAVING: (395, 322),
    Status.LEAVING: (395, 394),
    Status.STALE: (395, 466),
}
COLOUR = dict.fromkeys(MEMBER, "green") | dict.fromkeys(OUT, "amber") | {Status.JOINING: "blue", Status.FATAL: "red"}
#: The frames around statuses that share arrows: left, top, width, height.
FRAMES = ((8, 150, 176, 342), (14, 236, 164, 248), (316, 150, 192, 342))


@frozen
class Route:
    """An arrow from each of ``sources``, or from the frame around them, through ``points``.

    Its label is anchored at ``x``, ``y``. It names the events, unless there are ``words`` instead: if the events differ
    between the sources, or are those of the label beside it.
    """

    sources: tuple[Status, ...]
    to: Status
    points: tuple[tuple[int, int], ...]
    x: int
    y: int
    anchor: str = "start"
    words: str = ""
    turned: bool = False


ROUTES = (
    Route((Status.UNSUBSCRIBED,), Status.JOINING, ((130, 96), (130, 174)), 137, 124),
    Route(IN, Status.UNSUBSCRIBED, ((40, 150), (40, 80), (110, 80)), 46, 74),
    Route((Status.JOINING,), Status.RECONCILING, ((160, 206), (160, 270)), 154, 258, "end"),
    Route(MEMBER, Status.JOINING, ((30, 236), (30, 206)), 37, 225),
    Route((Status.RECONCILING,), Status.ACKNOWLEDGING, ((28, 302), (28, 358)), 35, 322),
    Route((Status.ACKNOWLEDGING,), Status.RECONCILING, ((163, 358), (163, 302)), 157, 346, "end"),
    Route((Status.ACKNOWLEDGING,), Status.STABLE, ((30, 390), (30, 430)), 37, 414),
    Route((Status.STABLE,), Status.RECONCILING, ((165, 446), (172, 446), (172, 286), (165, 286)), 154, 424, "end", " "),
    Route(IN, Status.FATAL, ((95, 492), (95, 540)), 102, 520),
    Route(MEMBER, Status.FENCED, ((178, 250), (325, 250)), 250, 244, "middle"),
    Route(MEMBER, Status.PREPARE_LEAVING, ((178, 322), (325, 322)), 250, 316, "middle"),
    Route(IN, Status.LEAVING, ((184, 394), (325, 394)), 250, 388, "middle"),
    Route((Status.PREPARE_LEAVING,), Status.LEAVING, ((340, 338), (340, 378)), 347, 355),
    Route((Status.LEAVING,), Status.STALE, ((340, 410), (340, 450)), 347, 427),
    Route((Status.PREPARE_LEAVING,), Status.STALE, ((465, 322), (492, 322), (492, 466), (465, 466)), 485, 394, "middle",
          turned=True),
    Route(OUT, Status.JOINING, ((316, 190), (165, 190)), 250, 184, "middle", "once out, if still subscribed"),
    Route(OUT, Status.UNSUBSCRIBED, ((400, 150), (400, 80), (250, 80)), 258, 74, words="once out, otherwise"),
)  # fmt: skip


def member_states_picture() -> str:
    """The picture, as it should be. Raises ValueError if arrows were added to the table, or removed."""
    arrows = _arrows()
    drawn = {(here, route.to) for route in ROUTES for here in route.sources}
    if drawn != arrows.keys():
        raise ValueError(f"ROUTES draws other arrows than the table has: {drawn ^ arrows.keys()}")
    told = "; ".join(f"{here.name} to {there.name}: {', '.join(names)}" for (here, there), names in arrows.items())
    picture = Picture("The life of a member, as a state diagram", f"The transitions are: {told}.", 616)
    picture.text(16, 28, "The life of a member", "title")
    for frame in FRAMES:
        picture.rect(*frame, "fill box", round_px=10)
    picture.text(500, 170, "leaving, or out", "small faint", "end")
    for status, (x, y) in PLACES.items():
        picture.rect(x - HALF, y - TALL / 2, 2 * HALF, TALL, COLOUR.get(status, "faint"), round_px=10)
        picture.text(x, y + 5, status.name, "on small", "middle")
    for route in ROUTES:
        picture.line(route.points, arrow=True)
        _label(picture, route, arrows)
    picture.text(16, 600, "An arrow from a frame starts at every status in it.", "small faint")
    return str(picture)


def _label(picture: Picture, route: Route, arrows: dict[tuple[Status, Status], list[str]]) -> None:
    events = [arrows[here, route.to] for here in route.sources]
    if not route.words and any(each != events[0] for each in events):
        raise ValueError(f"arrows to {route.to.name} from one frame have different events: {events}")
    lines = wrap(route.words or ", ".join(_short(events[0])), 19)
    up = len(lines) - 1 if route.anchor == "middle" else 0
    for number, words in enumerate(lines):
        y = route.y + LINE * (number - up)
        picture.text(route.x, y, words, "small", route.anchor, turned=route.turned)


def _arrows() -> dict[tuple[Status, Status], list[str]]:
    """The events of each arrow between two statuses."""
    arrows: dict[tuple[Status, Status], list[str]] = {}
    for row in RULES:
        for to in sorted(row.to - {row.status}, key=list(Status).index):
            arrows.setdefault((row.status, to), []).append(row.event.__name__)
    return arrows


def _short(names: Iterable[str]) -> list[str]:
    """The names, with one phrase for the callbacks and one for the ends of a heartbeat."""
    phrases = dict.fromkeys((each.__name__ for each in ev.CALLBACK_FINISHED), "callback finished")
    if {each.__name__ for each in ev.HEARTBEAT_ENDED} <= set(names):
        phrases |= dict.fromkeys((each.__name__ for each in ev.HEARTBEAT_ENDED), "heartbeat ended")
    return list(dict.fromkeys(phrases.get(name, name) for name in names))


if __name__ == "__main__":
    PICTURE.write_text(member_states_picture())
