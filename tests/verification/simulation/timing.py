"""What an application does at the one moment that leads to rare arrows: most of them want two things to meet.

An application that is in a callback, or away, for longer than it may be loses its membership meanwhile (STALE), and
decides something before it is back. Others close, commit or lose their rights while the group rebalances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import define

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.classic import events as cev
from kafka_nextgen.membership.states import Phase
from tests.verification.simulation.dice import Dice, Fault
from tests.verification.simulation.member_effects import Callback
from tests.verification.simulation.whims import remove, take_rights

if TYPE_CHECKING:
    from tests.verification.simulation.applications import Application

#: Within this time of a rebalance that waits for it no coordinator puts a member out.
_MOST_S = 14.0
#: A coordinator that has refused a heartbeat within this time refuses the next one, too.
_RIGHTS_S = 5.0


@define(eq=False)
class Timing:
    application: Application
    dice: Dice
    _is_away: bool = False  # for longer than it may be
    _joins_again: bool = False  # of its own accord, into a group that may tell it the generation it is in
    _raises: bool = False  # in the next callback

    def outlasts(self, share: float) -> float | None:
        """For how long the application is away if that is longer than it may be."""
        if self.application.is_closing or not self.dice.happens(Fault.OUTLASTED, share):
            return None
        self._is_away = True
        return self.application.habits.max_poll_interval_s + self.dice.between(0.5, 12.0)

    def outlasts_in(self, callback: Callback) -> float | None:
        """The same of a callback that begins, most often of one in which the member gives up all that it has."""
        member = self.application.client.member
        gives_up = isinstance(callback, fx.CallOnRevoked) and member.status.name in _STAYS_IN
        seconds = self.outlasts(1.0 if gives_up and not member.state.held else 0.15)
        if seconds is not None:
            self._disturb(gives_up)
        return seconds

    def _disturb(self, gives_up: bool) -> None:
        """What would end the membership before the callback has outlasted the poll interval is kept off, or is it."""
        client, draw = self.application.client, self.dice.chance()
        if draw < 0.2 and gives_up:
            take_rights(client, ErrorCode.GROUP_AUTHORIZATION_FAILED, _RIGHTS_S)
        elif draw < 0.9:
            offline_s = self.application.habits.max_poll_interval_s + self.dice.between(0.0, 10.0)
            client.later(
                self.dice.between(0.0, _MOST_S) * self.dice.chance(), lambda: client.network.go_offline(offline_s)
            )

    def end_callback(self, callback: Callback) -> None:
        """A callback is about to return; the most may come of it if there is more to give up."""
        it = self.application
        gives_up_some = isinstance(callback, fx.CallOnRevoked) and it.client.member.state.held
        if it.is_closing:
            return
        if self._gives_up_all(callback) and self.dice.happens(Fault.IN_A_PHASE):
            self._be_refused_with_nothing()
        elif self.dice.happens(Fault.IN_A_PHASE, 0.5 if gives_up_some else 0.1):
            self.dice.pick((self._again, self._again, self._unsubscribe, it.close))()

    def _gives_up_all(self, callback: Callback) -> bool:
        """Whether a classic member has been assigned nothing of what it had."""
        client = self.application.client
        gives_up = isinstance(callback, fx.CallOnRevoked) and client.speaks_classic
        return gives_up and client.member.status.name == "STABLE" and client.member.state.assigned == frozenset()

    def _be_refused_with_nothing(self) -> None:
        """Commit what is being given up, and be put out: the refusal finds a member that has nothing, and waits for
        a poll since its callback raised.
        """
        self.application.commit()
        self._later(0.0, self._be_removed)
        self._raises = True

    def raises(self, callback: Callback) -> bool:
        """Whether a callback that is about to return raises."""
        if not self._raises or isinstance(callback, fx.CallOnRevoked):
            return False
        self._raises = False
        self.dice.note(Fault.CALLBACK_RAISES)
        return True

    def polled(self) -> None:
        """The application has polled. While a classic member commits for the sake of a rebalance it may want a pattern,
        for which the topics have to be found out.
        """
        client = self.application.client
        commits = client.speaks_classic and client.member.phase is Phase.COMMITTING
        if commits and self.dice.happens(Fault.IN_A_PHASE, 0.5):
            self._later(self.dice.between(0.0, 0.004), lambda: self.application.subscribe(self._pattern), "STABLE")

    def notice(self) -> None:
        status = self.application.client.member.status.name
        if status == "STALE":
            if self._is_away:
                self._is_away = False
                self._later(self.dice.pick((0.0, 0.01, 1.0)), self._when_stale())
        elif status == "PREPARING" and self._joins_again:
            self._joins_again = False
            self._be_removed_while_joining()
        elif status in _ACTS:
            share, acts = _ACTS[status]
            if self.dice.happens(Fault.IN_A_PHASE, share):
                self.dice.pick(acts)(self)

    def _later(self, seconds: float, act: Callable[[], object], status: str | None = None) -> None:
        """Act some time later, if the member has this status then."""

        def act_if_there() -> None:
            it = self.application
            if not it.is_over and not it.is_stuck and status in (None, it.client.member.status.name):
                act()

        self.application.client.later(seconds, act_if_there)

    def _when_stale(self) -> Callable[[], object]:
        it = self.application
        think = it.client.think_again
        return self.dice.pick((self._again, self._again, self._again, self._unsubscribe, it.close, it.close, think))

    @property
    def _must_keep_to_it(self) -> bool:
        """A stable classic group does not notice that a static member comes back with another subscription."""
        return self.application.client.speaks_classic and self.application.client.is_static

    def _unsubscribe(self) -> None:
        if self._must_keep_to_it:
            self._again()
        else:
            self.application.unsubscribe()

    def _again(self) -> None:
        """Give the subscription up and take another one, or a pattern, for which topics have to be found out first."""
        it = self.application
        wanted = it.wanted if self._must_keep_to_it else self.dice.pick((self.dice.pick(it.wishes), self._pattern))
        if wanted is not None and not it.is_closing:
            it.unsubscribe()
            it.subscribe(wanted)

    @property
    def _pattern(self) -> ev.Subscribed:
        return next(wish for wish in self.application.wishes if wish.pattern is not None)

    def _close(self) -> None:
        self._later(self.dice.pick((0.0, 0.0, 0.002, 0.02)), self.application.close)

    def _commit_when_out(self) -> None:
        """Commit at about the time when the member is put out, or loses its rights."""
        self._later(self.dice.between(0.0, 0.008), self.application.commit)
        self._later(self.dice.between(0.0, 0.008), self.dice.pick((self._lose_rights, self._be_removed)))

    def _wait_for_others(self) -> None:
        act = self.dice.pick((self._lose_rights, self._commit_when_out, self.application.close))
        self._later(self.dice.between(0.5, 4.0), act, "COMPLETING")

    def _lose_rights(self) -> None:
        take_rights(self.application.client, ErrorCode.GROUP_AUTHORIZATION_FAILED, _RIGHTS_S)

    def _be_removed(self) -> None:
        remove(self.application.client, by_instance=False)

    def _be_removed_while_joining(self) -> None:
        """Commit behind the JoinGroup, and be put out before or after that is served: what is committed is refused to a
        member that is told its own generation again, or one that is out goes on with what it had.
        """
        self._later(self.dice.between(0.0, 0.004), self.application.commit)
        self._later(self.dice.between(0.001, 0.006), self._be_removed)

    def _enforce(self) -> None:
        act = self._join_again if self.application.client.speaks_classic else self.application.subscribe_to_any
        self._later(self.dice.between(0.5, 3.0), act, "STABLE")

    def _join_again(self) -> None:
        self._joins_again = True
        self.application.client.feed(cev.RebalanceEnforced("the application wants it"))


#: In which callbacks of a member run that stays in the group.
_STAYS_IN = frozenset({"RECONCILING", "STABLE"})

_ACTS: Mapping[str, tuple[float, Sequence[Callable[[Timing], None]]]] = {
    "PREPARING": (0.2, (Timing._close, Timing._commit_when_out, Timing._commit_when_out)),
    "COMPLETING": (0.4, (Timing._close, Timing._wait_for_others, Timing._wait_for_others, Timing._wait_for_others)),
    "STABLE": (0.2, (Timing._enforce,)),
}
