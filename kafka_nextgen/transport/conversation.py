"""Questions to one broker, each but the first of which follows from the answer before.

Where answers come a thousand times a second, asking again is more work than the question is: a task wakes up for it, a
connection is looked for, and somebody has to wait again. In a conversation the connection itself gets the next question
as soon as it has read an answer, and sends it. Who awaits it hears of the last answer only, or of what has ended it.

Where not even that has to be done in Python, a relay goes on with the conversation for a while (``relays``).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.transport.relays import Relayed
from kafka_nextgen.wire.apis import Answer, Question

__all__ = ["Conversation", "Errand", "Relaying"]


class Errand(NamedTuple):
    """What a connection tells of itself: its socket, and the number of the request on its way, sent at this moment."""

    fd: int
    correlation_id: int
    client_id: str
    asked_at: float


class Relaying(Protocol):
    """A relay that goes on with a conversation. All of this is called on the event loop, and waits for nothing."""

    @property
    def relay(self) -> accelerator.FetchRelay:
        """What the socket is lent to."""
        ...

    def may_go_on(self) -> bool:
        """Whether it is still what Python would do. Must not raise."""
        ...

    def told(self) -> None:
        """The relay has kept an answer and could not ring anybody. Must not raise."""
        ...

    def note(self, counted: Relayed) -> None:
        """It has done so much since this was last called. Must not raise."""
        ...

    def end(self) -> bool:
        """The socket was taken back: the conversation goes on behind what the relay has answered and asked.

        False if it can't: then the connection ends. Must not raise.
        """
        ...


class Conversation(Protocol):
    """What is asked, on the event loop; each question has the whole time limit for itself.

    ``go_on`` and ``went_on`` are called while what was received is being read, in no task: they wait for nothing.
    """

    def begin(self, version: int) -> Question:
        """The first question, in the version both sides speak, as are those that follow. May be asked for twice."""
        ...

    def go_on(self, answer: Answer) -> Question | None:
        """The next question; None if this answer is the last.

        What it raises ends the conversation, and so does what is raised where the answer is read.
        """
        ...

    def went_on(self) -> None:
        """The next question is on its way, or will be when the broker may be sent anything."""
        ...

    @property
    def is_routine(self) -> bool:
        """Whether it is worthwhile to ask for a relay."""
        ...

    def relay(self, errand: Errand) -> Relaying | None:
        """What may have the socket from here on; None if every answer is to be seen. Must not raise."""
        ...
