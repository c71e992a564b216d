"""A classic member that stands by, as ``HotStandby`` of its group's leader said, and its application's ``on_standby``.

What the engine does about that is run here as it is: ``engine.member.standby``, and the two methods of
``ClassicDriver`` which decide when a member begins to stand by, and when it ends. An application that is slow calls
back in a later poll; some have no ``on_standby``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from attrs import define, field

from kafka_nextgen.assignors.standby_metadata import StandbyWord
from kafka_nextgen.engine.mailbox import Mailbox
from kafka_nextgen.engine.member.classic_driver import ClassicDriver
from kafka_nextgen.engine.member.standby import Standby
from kafka_nextgen.membership.classic.effects import TellAssignor
from kafka_nextgen.membership.classic.member import ClassicMember
from kafka_nextgen.types import TopicId, TopicPartition
from tests.verification.simulation.cluster import GROUP
from tests.verification.simulation.dice import Dice

if TYPE_CHECKING:
    from tests.verification.simulation.classic_clients import ClassicClient

_LISTENS, _SLOW = 0.8, 0.3


@define(eq=False)
class ClassicStandingBy:
    """One client's driver as far as it stands by, and its application."""

    client: ClassicClient
    dice: Dice
    standby: Standby = field(init=False)
    listens: bool = field(init=False)  # its application has ``on_standby``
    told: tuple[TopicPartition, ...] | None = None  # what that was called with, since it began to stand by
    _mailbox: Mailbox = field(init=False)
    _member: ClassicMember = field(init=False)
    _standby_word: StandbyWord | None = None

    def __attrs_post_init__(self) -> None:
        self.listens = self.dice.chance() < _LISTENS
        self._member = self.client.member
        self._mailbox = Mailbox(cast(Any, self))
        self.standby = Standby(GROUP, self._mailbox, cast(Any, None), _no_names, lambda: self.listens)

    def assigned(self, effect: TellAssignor) -> None:
        """The leader's assignor has assigned, and said something to the member."""
        ClassicDriver._tell_assignor(cast(Any, self), effect)

    def follow(self) -> None:
        """The member was told of an event."""
        ClassicDriver._follow_standby(cast(Any, self), self.standby)
        if not self.standby.place:
            self.told = None

    def polled(self) -> None:
        """The application calls ``on_standby`` if that is due."""
        callback = self._mailbox.first_callback()
        if callback is not None and self.dice.chance() >= _SLOW:
            self._mailbox.drop_callback(callback)
            self.told = callback.partitions
            self.standby.finished(callback, None)
            self.client.observer.told_to_stand_by(self.client, callback.partitions)

    def notify(self) -> None:
        """The mailbox has something for the application: it wakes if it waits in a poll."""
        if self.client.on_callback is not None:
            self.client.on_callback()

    @property
    def _leads(self) -> ClassicStandingBy:
        return self

    def tell(self, effect: TellAssignor, member_id: str) -> None:
        """Its assignor hears of its own assignment, and does nothing about it."""


async def _no_names(_topic_ids: frozenset[TopicId]) -> Mapping[TopicId, str]:
    raise AssertionError("assignments of classic groups name their topics")
