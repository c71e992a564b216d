"""Which group is looked at, and where its facts go."""

from __future__ import annotations

from attrs import Factory, define

from kafka_nextgen.history.facts import Fact

__all__ = ["Scope"]


@define
class Scope:
    """One group of one cluster. Facts that are complete wait in ``facts`` to be taken."""

    cluster: str
    group: str
    facts: list[Fact] = Factory(list)
    marks: set[str] = Factory(set)

    def take(self) -> list[Fact]:
        """The facts since the last time."""
        facts, self.facts = self.facts, []
        return facts

    def marked(self, *more: str) -> str:
        """The marks of the group and these, as facts have them."""
        return ", ".join(sorted(self.marks.union(more)))
