"""Facts by their groups."""

from __future__ import annotations

from typing import TypeAlias

from kafka_nextgen.history.answering import Answers
from kafka_nextgen.history.facts import FACTS, Fact

__all__ = ["FactsByKind", "facts_by_group"]

#: The facts of one group by the names of ``FACTS``.
FactsByKind: TypeAlias = dict[str, list[Fact]]


def facts_by_group(answers: Answers) -> dict[tuple[str, str], FactsByKind]:
    """The facts of each cluster and group, all kinds of them, in one pass."""
    found: dict[tuple[str, str], FactsByKind] = {}
    for name in FACTS:
        for fact in answers.facts.get(name, ()):
            own = found.get((fact.cluster, fact.group))
            if own is None:
                own = found[fact.cluster, fact.group] = {each: [] for each in FACTS}
            own[name].append(fact)
    return found
