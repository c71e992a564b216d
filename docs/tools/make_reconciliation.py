"""Draw docs/concepts/plots/reconciliation.svg: one reconciliation, message by message.

    python docs/tools/make_reconciliation.py

Two members and their coordinator play it here, with the machines of the library; the bytes between them are real, the
time is given.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path

from attrs import frozen
from make_one_heartbeat import ALICE, BOB, GROUP, ORDERS, Talk
from pictures import Picture

from kafka_nextgen.membership import effects as ef
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.member import Member
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.types import TopicIdPartition, TopicPartition, format_partitions, format_topic_ids

__all__ = ["reconciliation_picture"]

PICTURE = Path(__file__).parents[1] / "concepts" / "plots" / "reconciliation.svg"
#: Of the ladder: its three posts, where it begins, and the height of a rung.
ALICE_X, COORDINATOR_X, BOB_X, TOP, RUNG = 40, 260, 480, 88, 40
CHANCE = 0.5


@frozen
class Message:
    """A heartbeat or its answer: of which member, and its words."""

    member: str
    is_answer: bool
    words: str


@frozen
class Step:
    """What a member does between two messages."""

    member: str
    words: str


Rung = Message | Step


class Player:
    """A member whose application polls and whose callbacks return at once."""

    def __init__(self, name: str, member_id: str, talk: Talk, rungs: list[Rung]) -> None:
        self._name, self._talk, self._rungs = name, talk, rungs
        self._member = Member(MemberSettings(GROUP), member_id)
        self._events: deque[ev.Event] = deque()

    def play(self, event: ev.Event, at_s: float) -> None:
        """Let the event happen, and everything that follows from it at that time."""
        self._events.append(event)
        while self._events:
            for effect in self._member.handle(self._events.popleft(), at_s, CHANCE):
                self._carry_out(effect, at_s)

    def _carry_out(self, effect: ef.Effect, at_s: float) -> None:
        if isinstance(effect, ef.SendHeartbeat):
            self._heartbeat(effect, at_s)
        elif isinstance(effect, ef.ResolveTopics):
            self._events.append(ev.TopicsResolved({ORDERS: "orders"}))
            self._events.append(ev.Polled())
        elif isinstance(effect, ef.CommitConsumed):
            self._events.append(ev.CommitFinished(effect.number, None))
            self._note("commits")
        elif isinstance(effect, ef.CallOnRevoked):
            self._events.append(ev.RevokeFinished(effect.number, None))
            self._note(f"revokes {_named(effect.partitions)}")
        elif isinstance(effect, ef.CallOnAssigned):
            self._events.append(ev.AssignFinished(effect.number, None))
            if effect.partitions:
                self._note(f"reads {_named(effect.partitions)}")

    def _heartbeat(self, effect: ef.SendHeartbeat, at_s: float) -> None:
        answer = self._talk.exchange(effect, at_s).event
        owns = "" if effect.owned is None else f", owns {_by_id(effect.owned)}"
        gets = "" if answer.assignment is None else f", assigned {_by_id(answer.assignment)}"
        self._rungs.append(Message(self._name, is_answer=False, words=f"epoch {effect.member_epoch}{owns}"))
        self._rungs.append(Message(self._name, is_answer=True, words=f"epoch {answer.member_epoch}{gets}"))
        self._events.append(answer)
        self._events.append(ev.Polled())

    def _note(self, words: str) -> None:
        self._rungs.append(Step(self._name, words))


def _named(partitions: tuple[TopicPartition, ...]) -> str:
    return format_partitions(partitions)


def _by_id(partitions: frozenset[TopicIdPartition]) -> str:
    return format_topic_ids(partitions, {ORDERS: "orders"}) if partitions else "none"


def play() -> list[Rung]:
    """Alice owns all of orders and Bob joins; return what happens from then on until both have their share."""
    talk, rungs = Talk(), list[Rung]()
    alice, bob = (Player(*who, talk, rungs) for who in (("alice", ALICE), ("bob", BOB)))
    alice.play(ev.Subscribed(frozenset({"orders"})), 0.0)
    alice.play(ev.Polled(), 0.0)
    rungs.clear()
    bob.play(ev.Subscribed(frozenset({"orders"})), 2.0)
    alice.play(ev.TimePassed(), 5.0)
    bob.play(ev.TimePassed(), 7.0)
    return rungs


def reconciliation_picture() -> str:
    """The picture, as it should be."""
    rungs = play()
    picture = Picture("One reconciliation, message by message", _told(rungs), TOP + RUNG * len(rungs) + 20)
    picture.text(16, 28, "One reconciliation", "title")
    picture.text(16, 48, "alice owns orders[0-3], epoch 2; bob joins", "faint")
    posts = {"alice": (ALICE_X, "blue"), "coordinator": (COORDINATOR_X, "faint"), "bob": (BOB_X, "amber")}
    for name, (x, colour) in posts.items():
        anchor = {ALICE_X: "start", BOB_X: "end"}.get(x, "middle")
        picture.text({"start": 16, "end": 504}.get(anchor, x), 76, name, f"bold {colour}", anchor)
        picture.line([(x, TOP - 8), (x, TOP + RUNG * len(rungs))], "line thin dashed")
    for number, rung in enumerate(rungs):
        y = TOP + RUNG * number + 28
        x, colour = posts[rung.member]
        if isinstance(rung, Step):
            left = min(max(x - 90, 8), Picture.WIDTH - 188)
            picture.rect(left, y - 22, 180, 30, colour, round_px=15)
            picture.text(left + 90, y - 2, rung.words, "on", "middle")
        else:
            ends = [(COORDINATOR_X, y), (x, y)] if rung.is_answer else [(x, y), (COORDINATOR_X, y)]
            picture.line(ends, "line dashed" if rung.is_answer else "line", arrow=True)
            picture.text((x + COORDINATOR_X) / 2, y - 7, rung.words, "small", "middle")
    return str(picture)


def _told(rungs: list[Rung]) -> str:
    """The ladder in words."""
    who = "The coordinator answers {0}: {1}.", "{0} sends a heartbeat: {1}."
    told = [
        f"{rung.member} {rung.words}."
        if isinstance(rung, Step)
        else who[not rung.is_answer].format(rung.member, rung.words)
        for rung in rungs
    ]
    return " ".join(["alice owns orders[0-3] at epoch 2, and bob joins.", *told])


if __name__ == "__main__":
    PICTURE.write_text(reconciliation_picture())
