"""A client's half of a state: the shipped ``Member``, what it has under way, and what is watched of it.

Time does not pass here: a timer that runs may ring at any moment, whatever it was set to. Numbers are made canonical:
they name what they belong to, so only which of them are equal, and which is the newest, matters.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve, frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.heartbeats import HEARTBEATING
from kafka_nextgen.membership.member import Member
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.membership.state import MemberState, Sent
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.membership.timers import Timer
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.types import TopicId, TopicIdPartition
from tests.verification.scenario_language.calling import Call, finished
from tests.verification.scenario_language.driving import _heartbeat
from tests.verification.scenario_language.watching import Watch

#: The moment at which everything happens, and one at which nothing does.
NOW, LATER = 0.0, 1_000.0

Request = tuple[int, ConsumerGroupHeartbeat]
Answer = tuple[int, ConsumerGroupHeartbeatAnswer]


@frozen(eq=False)
class Life:
    """A client at one moment. ``strays`` are requests that may arrive at any time and whose answer reaches nobody."""

    name: str
    lives: int
    member: MemberState | None  # None while it is down
    watch: Watch  # never changed once the life is made
    requests: tuple[Request, ...] = ()
    answers: tuple[Answer, ...] = ()
    strays: tuple[ConsumerGroupHeartbeat, ...] = ()
    calls: tuple[Call, ...] = ()
    commit: int | None = None
    to_resolve: frozenset[TopicId] | None = None
    was_overtaken: bool = False  # what it said earlier reached the coordinator as if it said so now
    was_left_out: bool = False  # the coordinator told a late request of it what it has not heard

    @property
    def member_id(self) -> str:
        return self.name if self.lives == 1 else f"{self.name}/{self.lives}"

    @property
    def is_silent(self) -> bool:
        """Whether it sends no heartbeats that keep its session."""
        return self.member is None or self.member.status not in HEARTBEATING

    @property
    def is_idle(self) -> bool:
        """Whether it is in the group, and nothing is under way but the time to the next heartbeat."""
        if self.member is None or self.requests or self.answers or self.calls:
            return False
        return self.member.status is Status.STABLE and self.member.phase is Phase.IDLE and self.to_resolve is None

    @property
    def working_on(self) -> frozenset[TopicIdPartition]:
        return frozenset() if self.member is None else self.watch.working_on

    @property
    def may_have(self) -> frozenset[TopicIdPartition]:
        """What it has, or believes it may take without asking again."""
        if self.member is None:
            return frozenset()
        targets = (target.partitions for target in (self.member.target, self.member.goal) if target is not None)
        told = (answer.assignment or frozenset() for _, answer in self.answers)
        return (self.member.owned | self.member.held).union(*targets, *told)

    def key(self) -> object:
        member = None if self.member is None else _member_key(self.member)
        rest = (self.requests, self.answers, self.strays, self.calls, self.commit, self.to_resolve)
        excused = (self.was_overtaken, self.was_left_out)
        return (self.name, self.lives, member, _watch_key(self.watch), rest, excused)


def born(name: str, lives: int, settings: MemberSettings, strays: tuple[ConsumerGroupHeartbeat, ...] = ()) -> Life:
    """A client that runs, and has subscribed to nothing."""
    life = Life(name, lives, None, Watch(), strays=strays)
    return evolve(life, member=MemberState(life.member_id, join_reason=settings.join_reason))


def fed(life: Life, settings: MemberSettings, event: ev.Event, due: Timer | None = None) -> Life:
    """Let something happen to the client; ``due`` rings with it."""
    assert life.member is not None, "only a client that runs hears"
    member = Member(settings, life.member_id)
    member.state = life.member if due is None else evolve(life.member, deadlines={**life.member.deadlines, due: NOW})
    watch = _watching(life.watch, event)
    effects = member.handle(event, NOW, 0.0)
    for effect in effects:
        watch.sees(effect)
    return canonical(_carried_out(evolve(life, member=member.state, watch=watch), effects))


def _watching(watch: Watch, event: ev.Event) -> Watch:
    watch = evolve(watch, broken=list(watch.broken))
    if isinstance(event, ev.HeartbeatAnswered):
        watch.answered(event.number, True, event.assignment)
    if isinstance(event, ev.HeartbeatRefused | ev.HeartbeatLost):
        watch.answered(event.number, False)
    return watch


def _carried_out(life: Life, effects: Iterable[fx.Effect]) -> Life:
    for effect in effects:
        match effect:
            case fx.SendHeartbeat():
                life = evolve(life, requests=(*life.requests, (effect.number, _heartbeat(effect))))
            case fx.CommitConsumed():
                life = evolve(life, commit=effect.number)
            case fx.CallOnAssigned() | fx.CallOnRevoked() | fx.CallOnLost():
                life = evolve(life, calls=(*life.calls, effect))
            case fx.ResolveTopics():
                life = evolve(life, to_resolve=effect.topic_ids)
    return life


def served(life: Life, answer: ConsumerGroupHeartbeatAnswer) -> Life:
    """The oldest request was served. Whatever came late before does not count any more once the member joins, or says
    what it has and is told what it is to have. If this answer is lost, it asks again in full.
    """
    (asked, request), *rest = life.requests
    return evolve(
        life,
        requests=tuple(rest),
        answers=(*life.answers, (asked, answer)),
        was_overtaken=life.was_overtaken and (request.member_epoch != 0 or answer.error is not ErrorCode.NONE),
        was_left_out=life.was_left_out and (request.owned is None or answer.assignment is None),
    )


def call_ended(life: Life, settings: MemberSettings) -> Life:
    call, *rest = life.calls
    watch = evolve(life.watch, broken=list(life.watch.broken))
    watch.callback_ended(call, False)
    return fed(evolve(life, calls=tuple(rest), watch=watch), settings, finished(call, None))


def heard(life: Life, settings: MemberSettings) -> Life:
    (number, answer), *rest = life.answers
    life = evolve(life, answers=tuple(rest))
    if answer.error is not ErrorCode.NONE:
        return fed(life, settings, ev.HeartbeatRefused(number, answer.error, answer.message))
    event = ev.HeartbeatAnswered(
        number, answer.member_id, answer.member_epoch, answer.heartbeat_interval_ms, answer.assignment
    )
    assert life.member is not None, "answers to others are not kept"
    after = fed(life, settings, event)
    if number and number == life.member.in_flight and 0 < answer.member_epoch < life.member.member_epoch:
        after.watch.broken.append("an answer's epoch is not below the request's")
    return after


def wakes(life: Life, timer: Timer) -> bool:
    return life.member is not None and timer in life.member.deadlines


def canonical(life: Life) -> Life:
    """The same with the least numbers, and without what nothing depends on any more."""
    state = life.member
    assert state is not None, "a client that is down has no numbers"
    ranks = _ranks(state, life.watch)
    versions = {target.version for target in (state.target, state.goal) if target is not None}
    acknowledged, sent = _acknowledged(state, ranks)
    member = evolve(
        state,
        last_number=len(ranks),
        in_flight=ranks.get(state.in_flight),
        waits_for=ranks.get(state.waits_for),
        target=state.target and evolve(state.target, version=ranks[state.target.version]),
        goal=state.goal and evolve(state.goal, version=ranks[state.goal.version]),
        reconciled_version=ranks[state.reconciled_version] if state.reconciled_version in versions else 0,
        acknowledged=acknowledged,
        sent=sent,
        failures=min(state.failures, 2),  # from then on every retry waits
        sent_at=NOW,
        deadlines=dict.fromkeys(sorted(state.deadlines, key=lambda timer: timer.value), LATER),
    )
    awaited = {number: ranks[number] for number in (state.in_flight, life.watch.in_flight) if number is not None}
    return evolve(
        life,
        member=member,
        watch=evolve(life.watch, in_flight=ranks.get(life.watch.in_flight)),
        requests=tuple((awaited.get(number, 0), request) for number, request in life.requests),
        answers=tuple((awaited.get(number, 0), answer) for number, answer in life.answers),
        calls=tuple(evolve(call, number=_renamed(call.number, state, ranks)) for call in life.calls),
        commit=None if life.commit is None else _renamed(life.commit, state, ranks),
    )


def _ranks(state: MemberState, watch: Watch) -> dict[int | None, int]:
    numbers = {state.in_flight, state.waits_for, watch.in_flight}
    numbers |= {target.version for target in (state.target, state.goal) if target is not None}
    if state.sent is not None and state.sent.acknowledged != state.acknowledged:
        numbers.add(state.acknowledged)
    return {number: rank for rank, number in enumerate(sorted(n for n in numbers if n), start=1)}


def _acknowledged(state: MemberState, ranks: dict[int | None, int]) -> tuple[int, Sent | None]:
    """What is to be acknowledged, and what was: only whether they are the same matters."""
    if state.sent is None or state.sent.acknowledged == state.acknowledged:
        return 0, state.sent and evolve(state.sent, acknowledged=0)
    return ranks[state.acknowledged], evolve(state.sent, acknowledged=0)


def _renamed(number: int, state: MemberState, ranks: dict[int | None, int]) -> int:
    return ranks[number] if number == state.waits_for else 0


_MEMBER_FIELDS = tuple(name for name in MemberState.__attrs_attrs__ if name.name not in ("names", "deadlines"))


def _member_key(state: MemberState) -> object:
    rest = tuple(getattr(state, field.name) for field in _MEMBER_FIELDS)
    return (rest, frozenset(state.names.items()), frozenset(state.deadlines))


def _watch_key(watch: Watch) -> object:
    sets = (watch.applied, watch.stopped, watch.done, watch.told, watch.doubtful, watch.granted)
    rest = (watch.in_flight, watch.must_be_full, watch.published_epoch, watch.failed, tuple(watch.broken))
    return (sets, rest, frozenset(watch.topic_ids.items()))
