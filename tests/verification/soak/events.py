"""What is done to the members of a soak, one function for each event of the schedule."""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from tests.endtoend.report import Line
from tests.verification.soak.administrator import Administrator
from tests.verification.soak.brokers import SESSION_S
from tests.verification.soak.fleet import Member
from tests.verification.soak.schedule import EVENTS, MAX_POLL_INTERVAL_S, SHAPES
from tests.verification.soak.stage import Stage

EMPTY_S = 10.0


class Events:
    """Draws events and has them happen; those that wait for the broker happen in a thread, one at a time."""

    def __init__(self, stage: Stage, pool: ThreadPoolExecutor) -> None:
        self._stage, self._pool = stage, pool
        self._chance = stage.chance
        self._administrator = Administrator(stage, random.Random(stage.chance.getrandbits(32)))
        self._busy: Future[None] | None = None
        self._emptying: str | None = None
        self._empty_since: dict[str, float] = {}
        self._events: Mapping[str, Callable[[], bool]] = {
            "join": self._join,
            "leave": lambda: self._losing(lambda member: self._leave(member, 1)),
            "leave at two SIGTERMs": lambda: self._losing(lambda member: self._leave(member, 2)),
            "kill": lambda: self._losing(self._kill),
            "stop for less than the session": lambda: self._losing(lambda each: self._stop(each, 0.5, SESSION_S / 2)),
            "stop for longer than the session": lambda: self._losing(
                lambda each: self._stop(each, SESSION_S + 2, SESSION_S + 6)
            ),
            "interrupt": lambda: self._disturbing(self._interrupt),
            "pause": lambda: self._order("pause", self._chance.uniform(0.5, 5)),
            "be slow": lambda: self._disturbing(self._be_slow),
            "seek back": lambda: self._order("seek", self._chance.randint(1, 200)),
            "cut connections": lambda: self._disturbing(self._cut),
            "remove": lambda: self._administer(self._administrator.remove),
            "delete a topic": lambda: self._administer(self._administrator.delete_topic),
            "add a partition": lambda: self._administer(self._administrator.add_partition),
            "empty a group": self._empty_group,
            "fail over": self._fail_over,
        }
        assert self._events.keys() == EVENTS.keys()

    def one(self) -> None:
        """Have one event happen, drawn by weight among those that can."""
        names = list(EVENTS)
        while not self._happens(self._chance.choices(names, list(EVENTS.values()))[0]):
            continue

    def tick(self) -> None:
        """Go on with what takes longer: processes that were stopped, a group that is to be empty."""
        now = time.monotonic()
        for member in self._stage.fleet.members.values():
            if member.stopped_until is not None and now > member.stopped_until:
                self.resume(member)
        if self._emptying is not None and not self._stage.members(self._emptying) and self._is_idle():
            shape, self._emptying = self._emptying, None
            self._administer(lambda: self._administrator.alter_offsets(shape))
        if self._stage.broker.retention_s is not None:
            self._fill(now)

    def _fill(self, now: float) -> None:
        """Have no group be empty for so long that the broker forgets its offsets."""
        for shape in SHAPES:
            if self._stage.members(shape) or not SHAPES[shape].most:
                self._empty_since.pop(shape, None)
            elif now > self._empty_since.setdefault(shape, now) + EMPTY_S and shape != self._emptying:
                self._stage.start_worker(shape)

    def resume(self, member: Member) -> None:
        member.signal(signal.SIGCONT)
        member.stopped_until = None
        self._stage.note("event", "resumed", member.name)

    def begin(self) -> None:
        if self._fail_over():
            self._stage.events["fail over"] += 1

    def end(self) -> None:
        """Let everything go on, and return when nothing happens any more."""
        for member in self._stage.fleet.members.values():
            if member.stopped_until is not None:
                self.resume(member)
        if self._busy is not None:
            self._busy.exception(120)

    def _happens(self, name: str) -> bool:
        if not self._events[name]():
            return False
        self._stage.events[name] += 1
        return True

    def _note(self, what: str, member: Member, more: object = "") -> bool:
        self._stage.note("event", what, f"{member.name} {more}")
        return True

    # ---- members come and go

    def _join(self) -> bool:
        shape = self._chance.choice([name for name, each in SHAPES.items() if each.most])
        if shape == self._emptying or len(self._stage.workers(shape)) >= SHAPES[shape].most:
            return False
        self._stage.start_worker(shape)
        return True

    def _losing(self, happens: Callable[[Member], bool]) -> bool:
        """Have it happen to a member that need not be there, if there is one."""
        shapes = [name for name, each in SHAPES.items() if len(self._stage.workers(name)) > each.least]
        return bool(shapes) and happens(self._chance.choice(self._stage.workers(self._chance.choice(shapes))))

    def _leave(self, member: Member, times: int) -> bool:
        self._stage.end(member, times)
        return self._note("leave", member, times)

    def _kill(self, member: Member) -> bool:
        self._stage.trouble(member)
        self._stage.fleet.kill(member)
        return self._note("kill", member)

    def _stop(self, member: Member, least_s: float, most_s: float) -> bool:
        lasts_s = self._chance.uniform(least_s, most_s)
        self._stage.trouble(member, lasts_s)
        member.signal(signal.SIGSTOP)
        member.stopped_until = time.monotonic() + lasts_s
        return self._note("stop", member, lasts_s)

    def _empty_group(self) -> bool:
        shape = "sparse"
        members = self._stage.members(shape)
        if self._emptying is not None or not all(each.can_be_disturbed for each in members):
            return False
        self._emptying = shape
        for member in members:
            self._stage.end(member)
        return True

    # ---- what happens to a member that stays

    def _disturbing(self, happens: Callable[[Member], bool]) -> bool:
        """Have it happen to any member that is no visitor, has no steady life, and was not asked to end."""
        members = [
            each
            for each in self._stage.fleet.members.values()
            if each.kind != "visitor" and not each.is_steady and each.can_be_disturbed
        ]
        return bool(members) and happens(self._chance.choice(members))

    def _order(self, verb: str, amount: float) -> bool:
        def happens(member: Member) -> bool:
            if member.runs_handlers or member.kind == "async":
                return False
            member.order(verb, amount)
            return self._note(verb, member, amount)

        return self._disturbing(happens)

    def _be_slow(self, member: Member) -> bool:
        if member.name.startswith("veteran-storm"):
            return False
        lasts_s = MAX_POLL_INTERVAL_S + self._chance.uniform(1, 4)
        self._stage.trouble(member, lasts_s + 5)  # it hears of it after its next poll
        member.order("slow", lasts_s)
        return self._note("slow", member, lasts_s)

    def _cut(self, member: Member) -> bool:
        self._stage.trouble(member)
        member.order("cut", 0)
        return self._note("cut", member)

    def _interrupt(self, member: Member) -> bool:
        number = signal.SIGUSR1 if member.runs_handlers or self._chance.random() < 0.5 else signal.SIGINT
        pauses_s = [self._chance.choice((0.0, 0.0003, 0.003, 0.03)) for _ in range(self._chance.randint(1, 25))]
        threading.Thread(target=_shower, args=(self._stage, member, number, pauses_s), daemon=True).start()
        return self._note("interrupt", member, f"{number.name} {len(pauses_s)} times")

    # ---- what the broker is asked for

    def _is_idle(self) -> bool:
        return self._busy is None or self._busy.done()

    def _fail_over(self) -> bool:
        return self._stage.broker.fail_over is not None and self._administer(self._administrator.fail_over)

    def _administer(self, work: Callable[[], None]) -> bool:
        if not self._is_idle():
            return False
        self._busy = self._pool.submit(self._carefully, work)
        return True

    def _carefully(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # a busy broker; whatever it means for records is found out all the same
            self._stage.note("event", "administration failed", repr(error))
            self._stage.errors[f"administration: {type(error).__name__}"] += 1


def _shower(stage: Stage, member: Member, number: signal.Signals, pauses_s: list[float]) -> None:
    for pause_s in pauses_s:
        member.signal(number)
        if member.runs_handlers:
            stage.hear(member, Line(time.monotonic(), "interrupted"))
        time.sleep(pause_s)
