"""Draw docs/internals/plots/member-states.svg from the table of transitions of a member.

    python docs/tools/make_member_states.py

``ROUTES`` says where the arrows are drawn; that these are all arrows, and their events, come from the table.
"""

from __future__ import annotations

from pathlib import Path

from state_diagrams import Route, StateDiagram, draw

from kafka_nextgen.membership.states import Status
from kafka_nextgen.membership.transitions import RULES

__all__ = ["member_states_picture"]

PICTURE = Path(__file__).parents[1] / "internals" / "plots" / "member-states.svg"

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
FRAMES = ((8, 150, 176, 342), (14, 236, 164, 248), (316, 150, 192, 342))

ROUTES = (
    Route((Status.UNSUBSCRIBED,), (Status.JOINING,), ((130, 96), (130, 174)), 137, 124),
    Route(IN, (Status.UNSUBSCRIBED,), ((40, 150), (40, 80), (110, 80)), 46, 74),
    Route((Status.JOINING,), (Status.RECONCILING,), ((160, 206), (160, 270)), 154, 258, "end"),
    Route(MEMBER, (Status.JOINING,), ((30, 236), (30, 206)), 37, 225),
    Route((Status.RECONCILING,), (Status.ACKNOWLEDGING,), ((28, 302), (28, 358)), 35, 322),
    Route((Status.ACKNOWLEDGING,), (Status.RECONCILING,), ((163, 358), (163, 302)), 157, 346, "end"),
    Route((Status.ACKNOWLEDGING,), (Status.STABLE,), ((30, 390), (30, 430)), 37, 414),
    Route((Status.STABLE,), (Status.RECONCILING,), ((165, 446), (172, 446), (172, 286), (165, 286)), 154, 424,
          "end", " "),
    Route(IN, (Status.FATAL,), ((95, 492), (95, 540)), 102, 520),
    Route(MEMBER, (Status.FENCED,), ((178, 250), (325, 250)), 250, 244, "middle"),
    Route(MEMBER, (Status.PREPARE_LEAVING,), ((178, 322), (325, 322)), 250, 316, "middle"),
    Route(IN, (Status.LEAVING,), ((184, 394), (325, 394)), 250, 388, "middle"),
    Route((Status.PREPARE_LEAVING,), (Status.LEAVING,), ((340, 338), (340, 378)), 347, 355),
    Route((Status.LEAVING,), (Status.STALE,), ((340, 410), (340, 450)), 347, 427),
    Route((Status.PREPARE_LEAVING,), (Status.STALE,), ((465, 322), (492, 322), (492, 466), (465, 466)), 485, 394,
          "middle", turned=True),
    Route(OUT, (Status.JOINING,), ((316, 190), (165, 190)), 250, 184, "middle", "once out, if still subscribed"),
    Route(OUT, (Status.UNSUBSCRIBED,), ((400, 150), (400, 80), (250, 80)), 258, 74, words="once out, otherwise"),
)  # fmt: skip


def member_states_picture() -> str:
    """The picture, as it should be. Raises ValueError if arrows were added to the table, or removed."""
    note = "An arrow from a frame starts at every status in it."
    return draw(StateDiagram("The life of a member", note, 616, PLACES, COLOUR, FRAMES, ROUTES), RULES)


if __name__ == "__main__":
    PICTURE.write_text(member_states_picture())
