"""Chance, seam by seam: what is decided where, by a name, so that a run can be told, and what is told can be played.

A decision is about somebody (a life of a client, a node), has a word, and a value. A fault goes with the time it takes.
The plainest value of each decision is what happens where a scenario says nothing of it: no fault, the first of several,
the least.

What is decided follows from the function that asks ``Dice``: ``_WORDS``. Some decisions belong to a command of their
own, see ``recording.actions``: those of ``_OF_ACTIONS``. What has no word is called by
that function, and what was picked by its place.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, TypeVar

from attrs import frozen

from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.types import LeaveMode
from tests.verification.simulation.dice import Dice, Draws, Fault
from tests.verification.simulation.nodes import Node

_T = TypeVar("_T")

#: A pause of polls is drawn as a share of ``max.poll.interval.ms``.
SCALES = {Fault.POLL_PAUSE: 30.0}
#: What is drawn of a time (seconds) that is least so much, and at most so many times that.
CURVES = {"lateness": (0.01, 3000.0)}
#: Values that are no durations.
SHARES = frozenset({"jitter", "offsets-jitter", "commits", "processing"})

_WORDS = {
    ("feed", "chance"): "jitter",
    ("feed_offsets", "chance"): "offsets-jitter",
    ("find_coordinator", "pick"): "asks",
    ("find_coordinator", "tail"): "found-after",
    ("_resolve_topics", "pick"): "names-from",
    ("_resolve_topics", "tail"): "names-after",
    ("_ask_for_topics", "pick"): "topics-from",
    ("_ask_for_topics", "tail"): "topics-after",
    ("_look_at_topics", "pick"): "looks-at",
    ("_look_at_topics", "tail"): "looks-after",
    ("_take_records", "whole"): "records",
    ("_commit_then_go_on", "chance"): "commits",
    ("_pause", "between"): "processing",
    ("_latency", "tail"): "latency",
    ("_lateness", "chance"): "lateness",
    ("unsubscribe", "between"): "subscribes-after",
    ("_subscribe_again", "pick"): "subscribes",
    ("close", "pick"): "leaves",
    ("_copy_soon", "tail"): "copied-after",
    ("elect", "tail"): "learns-after",
    ("_spread_topics", "tail"): "sees-topics-after",
}
_OF_ACTIONS = frozenset({"fail_over", "crash_for_a_while", "_replace_leader", "compact", "stay"})
_OF_BEGINNINGS = frozenset({"_client", "start", "end", "classic_settings"})
_SILENT = re.compile(r"beginning|casting|rate of .*|habits of .*|.*, if at all")


def word_of(fault: Fault) -> str:
    return fault.value.replace(",", "").replace(" ", "-")


def name_of(name: str) -> str:
    """What a life of a client is called: the first has no number."""
    return name.removesuffix("/1")


def written(value: object, word: str = "") -> str:
    if isinstance(value, Node):
        return f"node{value.node_id}"
    if isinstance(value, Subscribed):
        return f"pattern={value.pattern}" if value.pattern else " ".join(sorted(value.topics))
    if isinstance(value, LeaveMode):
        return value.value
    if word in CURVES and isinstance(value, float):
        least, factor = CURVES[word]
        return written(least * factor**value)
    if isinstance(value, float) and word not in SHARES:
        return f"{value:.9f}".rstrip("0").rstrip(".") + "s"
    return str(value)


@frozen
class Seam:
    """What is decided, of whom. ``key`` says where it was asked."""

    owner: str
    word: str
    key: str
    is_of_action: bool = False

    @property
    def is_raw(self) -> bool:
        return self.word == self.key

    @property
    def is_silent(self) -> bool:
        return not self.word


class Seams(Dice):
    """Asks ``_decide`` for every decision: ``draw`` is how chance would decide."""

    _last: tuple[str, Fault] | None = None  # a fault that has just come, and where: the time it takes is drawn next

    def _decide(self, seam: Seam, kind: str, choices: Any, draw: Callable[[], Any]) -> Any:
        raise NotImplementedError

    def _comes(self, seam: Seam, fault: Fault, draw: Callable[[], bool]) -> bool:
        raise NotImplementedError

    def _takes(self, seam: Seam, fault: Fault, low: float, draw: Callable[[], float]) -> float:
        raise NotImplementedError

    def _share(self, other: Any) -> None:
        raise NotImplementedError

    def stream(self, name: str) -> Seams:
        other = type(self).__new__(type(self))
        other._begin(self._run, name)
        other._share(self)
        return other

    def chance(self) -> float:
        frame = sys._getframe(1)
        if frame.f_globals["__name__"] == Dice.__module__:
            return self._draw()
        return float(self._decide(self._seam(frame, "chance"), "chance", 0.0, self._draw))

    def _draw(self) -> float:
        place = (self._name, self._count)
        draw = self._run.drawn[place] = super().chance()
        return draw

    @property
    def drawn(self) -> Draws:
        return self._run.drawn

    def between(self, low: float, high: float) -> float:
        """A number between these; how long a fault takes that has just come."""
        frame = sys._getframe(1)
        last, self._last = self._last, None
        if last is not None and last[0] == frame.f_code.co_name:
            return self._takes(self._seam(frame, word_of(last[1])), last[1], low, lambda: Dice.between(self, low, high))
        seam = self._seam(frame, "between")
        return float(self._decide(seam, "between", low, lambda: Dice.between(self, low, high)))

    def tail(self, typical: float) -> float:
        seam = self._seam(sys._getframe(1), "tail")
        return float(self._decide(seam, "tail", typical * 0.5, lambda: Dice.tail(self, typical)))

    def whole(self, low: int, high: int) -> int:
        seam = self._seam(sys._getframe(1), "whole")
        return int(self._decide(seam, "whole", low, lambda: Dice.whole(self, low, high)))

    def pick(self, values: Sequence[_T]) -> _T:
        seam = self._seam(sys._getframe(1), "pick")
        chosen: _T = self._decide(seam, "pick", values, lambda: Dice.pick(self, values))
        return chosen

    def happens(self, fault: Fault, share: float = 1.0) -> bool:
        frame = sys._getframe(1)
        came = self._comes(self._seam(frame, word_of(fault)), fault, lambda: Dice.happens(self, fault, share))
        self._last = (frame.f_code.co_name, fault) if came else None
        return came

    def comes_up(self, fault: Fault, share: float) -> bool:
        frame = sys._getframe(1)
        if frame.f_globals["__name__"] == Dice.__module__ or self._name.endswith(", if at all"):
            return super().comes_up(fault, share)
        return self._comes(self._seam(frame, word_of(fault)), fault, lambda: Dice.comes_up(self, fault, share))

    def _seam(self, frame: FrameType, kind: str) -> Seam:
        site = _site_of(frame)
        key = f"{site}.{kind}"
        if site in _OF_ACTIONS or self._name == "troubles":
            return Seam("troubles", key, key, is_of_action=True)
        if site in _OF_BEGINNINGS:
            return Seam("", "", key)
        word = _WORDS.get((site, kind)) or (kind if kind in _FAULTS else None)
        if word is None and _SILENT.fullmatch(self._name):
            return Seam("", "", key)
        return Seam(self._owner(frame), word or key, key)

    def _owner(self, frame: FrameType) -> str:
        """Whom the decision is about: by the name of the stream, or the node that the cluster decides about."""
        client = re.search(r"\bc\d+/\d+", self._name)
        who = client[0] if client else self._name.replace("node ", "node")
        node = frame.f_locals.get("other", frame.f_locals.get("node")) if who == "beginning" else None
        return f"node{node.node_id}" if isinstance(node, Node) else name_of(who).replace(" ", "-")


_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})


def _site_of(frame: FrameType) -> str:
    """The function that asks. Before Python 3.12 a comprehension in it has a frame of its own (PEP 709)."""
    while frame.f_code.co_name in _COMPREHENSIONS and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_name


_FAULTS = frozenset(map(word_of, Fault))
