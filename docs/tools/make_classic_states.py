"""Draw docs/internals/plots/classic-states.svg from the table of transitions of a member of a classic group.

    python docs/tools/make_classic_states.py

``ROUTES`` says where the arrows are drawn; that these are all arrows, and their events, come from the table.
"""

from __future__ import annotations

from pathlib import Path

from state_diagrams import Route, StateDiagram, draw

from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.classic.transitions import RULES

__all__ = ["classic_states_picture"]

PICTURE = Path(__file__).parents[1] / "internals" / "plots" / "classic-states.svg"

JOINING = (Status.UNJOINED, Status.PREPARING)
JOINED = (Status.COMPLETING, Status.STABLE)
IN = (*JOINING, *JOINED)
OUT = (Status.PREPARE_LEAVING, Status.LEAVING, Status.STALE)

#: The centre of each status.
PLACES = {
    Status.UNSUBSCRIBED: (195, 80),
    Status.UNJOINED: (95, 198),
    Status.PREPARING: (95, 344),
    Status.COMPLETING: (95, 440),
    Status.STABLE: (95, 504),
    Status.FATAL: (95, 606),
    Status.PREPARE_LEAVING: (395, 330),
    Status.LEAVING: (395, 410),
    Status.STALE: (395, 490),
}
COLOUR = (
    dict.fromkeys(JOINING, "blue") | dict.fromkeys(JOINED, "green") | dict.fromkeys(OUT, "amber")
    | {Status.FATAL: "red"}
)  # fmt: skip
FRAMES = ((8, 150, 176, 394), (16, 172, 158, 198), (16, 412, 158, 120), (316, 150, 192, 394))

ROUTES = (
    Route((Status.UNSUBSCRIBED,), JOINING, ((145, 96), (145, 172)), 152, 124),
    Route(IN, (Status.UNSUBSCRIBED,), ((40, 150), (40, 80), (125, 80)), 46, 59),
    Route((Status.UNJOINED,), (Status.PREPARING,), ((30, 214), (30, 328)), 37, 228),
    Route((Status.PREPARING,), (Status.UNJOINED,), ((160, 328), (160, 214)), 154, 308, "end"),
    Route((Status.PREPARING,), (Status.COMPLETING,), ((30, 360), (30, 424)), 37, 386),
    Route(JOINED, JOINING, ((160, 412), (160, 370)), 154, 405, "end", "rebalance or error"),
    Route((Status.COMPLETING,), (Status.STABLE,), ((30, 456), (30, 488)), 37, 476),
    Route((Status.PREPARING,), (Status.FATAL,), ((165, 344), (179, 344), (179, 606), (165, 606)), 186, 566),
    Route(JOINED, (Status.FATAL,), ((95, 532), (95, 590)), 102, 568, words="fatal error"),
    Route(IN, (Status.PREPARE_LEAVING,), ((184, 330), (325, 330)), 250, 324, "middle"),
    Route(IN, (Status.LEAVING,), ((184, 410), (325, 410)), 250, 404, "middle"),
    Route(IN, (Status.STALE,), ((184, 490), (325, 490)), 250, 484, "middle"),
    Route((Status.PREPARE_LEAVING,), (Status.LEAVING,), ((340, 346), (340, 394)), 347, 374),
    Route((Status.PREPARE_LEAVING,), (Status.STALE,), ((465, 330), (492, 330), (492, 490), (465, 490)), 485, 410,
          "middle", turned=True),
    Route(OUT, JOINING, ((316, 250), (174, 250)), 250, 244, "middle", "once out, if still subscribed"),
    Route(OUT, (Status.UNSUBSCRIBED,), ((400, 150), (400, 80), (265, 80)), 273, 74, words="once out, otherwise"),
)  # fmt: skip


def classic_states_picture() -> str:
    """The picture, as it should be. Raises ValueError if arrows were added to the table, or removed."""
    note = "An arrow at a frame stands for one at each status in it."
    return draw(StateDiagram("The life of a classic member", note, 666, PLACES, COLOUR, FRAMES, ROUTES), RULES)


if __name__ == "__main__":
    PICTURE.write_text(classic_states_picture())
