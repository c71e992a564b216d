"""Questions to one broker, each but the first of which follows from the answer before.

Where answers come a thousand times a second, asking again is more work than the question is: a task wakes up for it, a
connection is looked for, and somebody has to wait again. In a conversation the connection itself gets the next question
as soon as it has read an answer, and sends it. Who awaits it hears of the last answer only, or of what has ended it.
"""

from __future__ import annotations

from typing import Protocol

from kafka_nextgen.wire.apis import Answer, Question

__all__ = ["Conversation"]


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
