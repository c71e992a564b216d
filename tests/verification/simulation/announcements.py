"""An administrator announces that members leave (``--leaving``); most of them do, some come back, and some stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define

from kafka_nextgen.groups.extensions.leaving import AnnounceLeaving, NamedMember
from tests.verification.simulation.applications import Application
from tests.verification.simulation.cluster import GROUP
from tests.verification.simulation.dice import Dice
from tests.verification.simulation.nodes import Standing
from tests.verification.simulation.whims import remove

if TYPE_CHECKING:
    from tests.verification.simulation.running import Simulation

#: The time between two announcements, and how long the group waits at most (seconds).
_APART_S, _WITHIN_S = 15.0, 30.0


@define(eq=False)
class Announcements:
    stage: Simulation
    dice: Dice

    def start(self) -> None:
        self._plan()

    def _plan(self) -> None:
        self.stage.timeline.after(self.dice.between(0.2, 1.8) * _APART_S, self._announce)

    def _announce(self) -> None:
        if self.dice.is_healed:
            return
        self._plan()
        leaving = [each for each in self.stage.applications if self.dice.chance() < 0.6 and not each.is_closing]
        within_s = self.dice.pick((0.0, 1.0, 1.0, 1.0, 1.0)) * self.dice.between(0.5, 1.0) * _WITHIN_S
        self._ask(leaving, within_s)
        if within_s:
            for application in leaving:
                self._let_leave(application, within_s)

    def _ask(self, leaving: list[Application], within_s: float) -> None:
        node = self.stage.cluster.leading
        if node is None or node.standing is not Standing.ACTIVE or not (leaving or not within_s):
            return
        members = tuple(_name(each) for each in leaving)
        answers: list[object] = []  # nobody reads them
        node.ask(AnnounceLeaving(GROUP, members, round(1000 * within_s)), answers.append)

    def _let_leave(self, application: Application, within_s: float) -> None:
        """Most leave in time: they close, are removed, or die; the others have it before them."""
        act = self.dice.pick(
            (
                application.close,
                application.close,
                application.close,
                lambda: remove(application.client, by_instance=True),
                lambda: self.stage.end(application),
            )
        )

        def leave() -> None:
            if not application.is_over and not self.dice.is_healed:
                act()

        self.stage.timeline.after(self.dice.between(0.0, 1.3) * within_s, leave)


def _name(application: Application) -> NamedMember:
    client = application.client
    return NamedMember("", client.settings.instance_id) if client.is_static else NamedMember(client.member_id)
