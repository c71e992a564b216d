"""All states of clients that were met, by number, and where each can go by itself or by a fault of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from attrs import evolve

from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.member import Member
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.membership.states import Status
from kafka_nextgen.membership.timers import Timer
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.types import TopicId
from tests.verification.simulation.exploring.clients import Life, born, call_ended, fed, heard, served, wakes
from tests.verification.simulation.exploring.moves import Fault, Move

#: One move of a client, and the number of the state it leads to.
Step = tuple[Move, int]

_TASKS = {fx.CallOnAssigned: "assign", fx.CallOnRevoked: "revoke", fx.CallOnLost: "lose"}


class Crowd:
    """Clients of one group, all with the same settings and subscription."""

    def __init__(self, settings: MemberSettings, topics: frozenset[str]) -> None:
        self.settings = settings
        self.lives: list[Life] = []
        self._subscribed = ev.Subscribed(topics)
        self._numbers: dict[object, int] = {}
        self._known: dict[tuple[object, ...], int] = {}
        self._own: dict[int, tuple[Step, ...]] = {}
        self._faults: dict[int, tuple[tuple[Fault, Move, int], ...]] = {}
        self._rings: dict[int, int | None] = {}

    def number(self, life: Life) -> int:
        key = life.key()
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.lives)
            self.lives.append(life)
        return found

    def first(self, name: str) -> int:
        return self.number(born(name, 1, self.settings))

    def _once(self, key: tuple[object, ...], work: Callable[[], Life]) -> int:
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.number(work())
        return found

    def served(self, number: int, answer: ConsumerGroupHeartbeatAnswer) -> int:
        return self._once(("served", number, answer), lambda: served(self.lives[number], answer))

    def stray_served(self, number: int, place: int, *, overtakes: bool, leaves_out: bool) -> int:
        life = self.lives[number]

        def work() -> Life:
            rest = (*life.strays[:place], *life.strays[place + 1 :])
            overtaken, left_out = life.was_overtaken or overtakes, life.was_left_out or leaves_out
            return evolve(life, strays=rest, was_overtaken=overtaken, was_left_out=left_out)

        return self._once(("stray", number, place, overtakes, leaves_out), work)

    def resolved(self, number: int, names: Mapping[TopicId, str]) -> int:
        life = self.lives[number]

        def work() -> Life:
            asked = life.to_resolve or frozenset()
            there = {topic_id: name for topic_id, name in names.items() if topic_id in asked}
            after = evolve(life, to_resolve=None)
            return fed(after, self.settings, ev.TopicsResolved(there)) if there else after

        return self._once(("resolved", number, tuple(names)), work)

    def heard(self, number: int) -> int:
        return self._once(("heard", number), lambda: heard(self.lives[number], self.settings))

    def bereft(self, number: int, answers: int) -> int:
        """Its latest answers never left: it learns that none will come."""
        return self._once(("bereft", number, answers), lambda: self._without_answers(self.lives[number], answers))

    def _without_answers(self, life: Life, answers: int) -> Life:
        lost = life.answers[len(life.answers) - answers :]
        life = evolve(life, answers=life.answers[: len(life.answers) - answers])
        for asked, _ in lost:
            life = fed(life, self.settings, ev.HeartbeatLost(asked, "no answer"))
        return life

    def own(self, number: int) -> tuple[Step, ...]:
        """Every step it can take alone, but for its heartbeat timer and for names, which others must tell."""
        found = self._own.get(number)
        if found is None:
            life = self.lives[number]
            found = self._own[number] = tuple((move, self.number(after)) for move, after in self._steps(life))
        return found

    def ring(self, number: int) -> int | None:
        if number not in self._rings:
            life = self.lives[number]
            rings = wakes(life, Timer.HEARTBEAT)
            self._rings[number] = self.number(self._rung(life, Timer.HEARTBEAT)) if rings else None
        return self._rings[number]

    def _rung(self, life: Life, timer: Timer) -> Life:
        return fed(life, self.settings, ev.TimePassed(), timer)

    def _steps(self, life: Life) -> Iterator[tuple[Move, Life]]:
        if life.member is None:
            again = born(life.name, life.lives + 1, self.settings, life.strays)
            yield ("restart", life.name), fed(again, self.settings, self._subscribed)
            return
        if life.member.status is Status.UNSUBSCRIBED:
            yield ("subscribe", life.name), fed(life, self.settings, self._subscribed)
        if life.answers:
            yield ("hear", life.name), heard(life, self.settings)
        if life.calls:
            yield ("answer", life.name, _TASKS[type(life.calls[0])]), call_ended(life, self.settings)
        if life.commit is not None:
            ended = ev.CommitFinished(life.commit, None)
            yield ("answer", life.name, "commit"), fed(evolve(life, commit=None), self.settings, ended)
        if self._wants_poll(life):
            yield ("poll", life.name), fed(life, self.settings, ev.Polled())
        if wakes(life, Timer.LEAVE):
            yield ("ring", life.name, "leave"), self._rung(life, Timer.LEAVE)
        if wakes(life, Timer.RESOLVE) and life.to_resolve is None:
            yield ("ring", life.name, "resolve"), self._rung(life, Timer.RESOLVE)

    def _wants_poll(self, life: Life) -> bool:
        assert life.member is not None, "only a client that runs polls"
        member = Member(self.settings, life.member_id)
        member.state = life.member
        return member.wants_poll

    def faults(self, number: int) -> tuple[tuple[Fault, Move, int], ...]:
        found = self._faults.get(number)
        if found is None:
            life = self.lives[number]
            found = tuple((fault, move, self.number(after)) for fault, move, after in self._harms(life))
            self._faults[number] = found
        return found

    def _harms(self, life: Life) -> Iterator[tuple[Fault, Move, Life]]:
        if life.member is None or life.member.status is Status.UNSUBSCRIBED:
            return  # one that crashes before it subscribes is one that starts later
        if life.requests:
            (asked, request), *rest = life.requests
            lost = ev.HeartbeatLost(asked, "no answer")
            unsent = evolve(life, requests=tuple(rest))
            late = evolve(unsent, strays=(*life.strays, request))
            yield Fault.REQUEST_LOST, ("drop-request", life.name), fed(unsent, self.settings, lost)
            yield Fault.REPEATED, ("duplicate", life.name), evolve(life, strays=(*life.strays, request))
            if asked:
                yield Fault.REPEATED, ("give-up", life.name), fed(late, self.settings, lost)
        if life.answers:
            yield Fault.ANSWER_LOST, ("drop-answer", life.name), self._without_first(life)
        strays = (*life.strays, *(request for _, request in life.requests))
        yield Fault.CRASH, ("crash", life.name), Life(life.name, life.lives, None, type(life.watch)(), strays=strays)
        if wakes(life, Timer.POLL) and not life.is_silent:
            yield Fault.SILENCE, ("ring", life.name, "poll"), self._rung(life, Timer.POLL)

    def _without_first(self, life: Life) -> Life:
        (asked, _), *rest = life.answers
        return fed(evolve(life, answers=tuple(rest)), self.settings, ev.HeartbeatLost(asked, "no answer"))

    def may_arrive(self, number: int) -> Iterator[tuple[int, ConsumerGroupHeartbeat]]:
        """Its stray requests, by place. A duplicate comes after what it is one of."""
        life = self.lives[number]
        own = [request for _, request in life.requests]
        for place, stray in enumerate(life.strays):
            if stray not in own:
                yield place, stray
