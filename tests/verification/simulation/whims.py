"""What moves an application to do something odd at any time, most of all where its member seldom is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from attrs import define

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.leaving import LeaveGroup, LeavingMember
from tests.verification.simulation.clients import Client
from tests.verification.simulation.cluster import GROUP
from tests.verification.simulation.dice import Dice, Fault
from tests.verification.simulation.nodes import Standing

if TYPE_CHECKING:
    from tests.verification.simulation.applications import Application

#: By the names of their statuses: where members are out of the group, and where they are for long, or often.
_OUT = frozenset({"FENCED", "STALE", "FATAL"})
_COMMON = frozenset({"UNSUBSCRIBED", "JOINING", "RECONCILING", "UNJOINED", "PREPARING", "STABLE"})


@define(eq=False)
class Whims:
    application: Application
    dice: Dice

    def storm(self) -> None:
        """Subscribe and unsubscribe several times in a row."""
        after_s = 0.0
        for _ in range(self.dice.whole(2, 6)):
            after_s += self.dice.pick((0.0, 0.003, 0.1, 1.0)) * self.dice.chance()
            self.application.client.later(after_s, self._act)

    def move_on(self) -> None:
        """The member is somewhere else: something happens just then, now and again, most of all where it seldom is."""
        it = self.application
        share = 0.1 if it.client.member.status.name in _COMMON else 0.7
        if not it.is_over and self.dice.happens(Fault.IN_THE_MIDDLE, share):
            it.client.later(self.dice.pick((0.0, 0.0, 0.002, 0.01)), self._act)

    def _act(self) -> None:
        it = self.application
        if it.is_over or it.is_stuck:
            return
        act: Callable[[], object] = self.dice.pick(self._acts()[it.client.member.status.name in _OUT])
        act()

    def _acts(self) -> tuple[Sequence[Callable[[], object]], Sequence[Callable[[], object]]]:
        """What it may do, and what of that when its member is out of the group."""
        it, again = self.application, self._again
        out = (it.unsubscribe, again, again, self._close_seldom, self._think_again)
        subscribe, suffers = it.subscribe_to_any, (self._suffer, self._suffer_and_commit)
        return (*out, it.poll_early, subscribe, subscribe, it.commit, *suffers), out

    def _think_again(self) -> None:
        """Its assignors have something else to say, now and again as the first thing after a pause."""
        client = self.application.client
        if self.dice.chance() < 0.3:
            client.time.freeze(self.dice.between(0.05, 3.0))
        client.time.when_awake(client.think_again)

    def _suffer_and_commit(self) -> None:
        self._suffer()
        self.application.commit()

    def _suffer(self) -> None:
        client, seconds = self.application.client, self.dice.between(0.1, 15.0)
        suffer: Callable[[], object] = self.dice.pick(
            (
                lambda: client.network.go_offline(seconds),
                lambda: remove(client, by_instance=seconds > 7.0),
                lambda: remove(client, by_instance=False),
                lambda: take_rights(client, ErrorCode.GROUP_AUTHORIZATION_FAILED, seconds),
            )
        )
        suffer()

    def _close_seldom(self) -> None:
        if self.dice.chance() < 0.4:
            self.application.close()

    def seek(self) -> None:
        client = self.application.client
        flowing = client.flowing
        if not flowing or self.application.is_closing:
            return
        partition = self.dice.pick(flowing)
        client.seek(partition, self.dice.whole(0, client.positions[partition]))
        self.dice.note(Fault.SOUGHT)

    def reenter(self) -> None:
        it = self.application
        flowing = it.client.flowing
        act = self.dice.pick(
            (lambda: it.commit_beside(flowing), self.seek, it.subscribe_to_any, self._again, self._close_seldom)
        )
        act()

    def _again(self) -> None:
        self.application.unsubscribe()
        self.application.subscribe_to_any()


def take_rights(client: Client, code: ErrorCode, seconds: float) -> None:
    """Have a client refused with this code for so long."""
    taken, name = client.cluster.rights_taken, client.name

    def give_them_back() -> None:
        taken.pop(name, None)

    taken[name] = code
    client.timeline.after(seconds, give_them_back)


def remove(client: Client, *, by_instance: bool) -> bool:
    """Take its member out; False if there is none, or nobody to ask."""
    node, instance_id = client.cluster.leading, client.settings.instance_id
    by_instance = by_instance and instance_id is not None
    who = LeavingMember("", instance_id) if by_instance else LeavingMember(client.member_id)
    if node is None or node.standing is not Standing.ACTIVE or not (by_instance or client.member_id):
        return False
    answers: list[object] = []  # nobody reads them
    node.ask(LeaveGroup(GROUP, (who,)), answers.append)
    return True
