"""The answers as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import asdict

from kafka_nextgen.cli.history.moment import Moments
from kafka_nextgen.history.analysis import Analysis, FactsByKind, facts_by_group
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.facts import FACTS, Fact
from kafka_nextgen.history.log_reader import Problems

__all__ = ["history_document", "moments_document", "problems_document"]


def history_document(answers: Analysis, problems: Problems) -> dict[str, object]:
    """A group has all its facts by their kinds; its own sums are its ``summary``."""
    return {
        "groups": [_group(*key, facts) for key, facts in sorted(facts_by_group(answers).items())],
        "problems": problems_document(problems),
    }


def moments_document(moments: Iterable[Moments], problems: Problems) -> dict[str, object]:
    """What was around one time, a group each."""
    return {
        "groups": [
            {
                "cluster": moment.cluster,
                "group": moment.group,
                "at": moment.at,
                "first": moment.first,
                "last": moment.last,
                "rebalances": _facts(moment.rebalances),
                "holdups": _facts(moment.holdups),
                "standstills": _facts(moment.standstills),
                "owners": _facts(moment.owners),
                "events": [_event(event) for event in moment.events],
            }
            for moment in moments
        ],
        "problems": problems_document(problems),
    }


def _group(cluster: str, group: str, facts: FactsByKind) -> dict[str, object]:
    summary = _facts(facts["groups"])
    rest = {name: _facts(facts[name]) for name in FACTS if name != "groups"}
    return {"cluster": cluster, "group": group, "summary": summary[0] if summary else None, **rest}


def _facts(facts: Sequence[Fact]) -> list[dict[str, object]]:
    return [asdict(fact, filter=lambda name, _: name.name not in ("cluster", "group")) for fact in facts]


def _event(event: Event) -> dict[str, object]:
    told = asdict(event, filter=lambda _, value: value is not None)
    return {name: value.value if isinstance(value, EventKind) else value for name, value in told.items()}


def problems_document(problems: Problems) -> dict[str, object]:
    """How often each was found, and where first."""
    return {name: {"count": count, "first": problems.first[name]} for name, count in sorted(problems.counts.items())}
