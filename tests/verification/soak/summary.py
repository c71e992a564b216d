"""What a soak says: a line a minute, a table at the end, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from attrs import asdict, frozen

from tests.verification.soak.stage import Stage
from tests.verification.soak.vitals import Drift, Vitals, drifts

VETERAN = "veteran-storm-sync"
SHORTEST_FLAT_MINUTES = 8  # in less, memory has not settled
_MOST_SHOWN = 100  # findings; all of them are in the JSON


def minute_line(stage: Stage, minute: int) -> str:
    """Say how it stands: records, members, what the oldest member needs."""
    line = (
        f"minute {minute}: {sum(stage.ledger.snapshot().values()):,} written, {stage.judge.delivered:,} read"
        f" ({stage.judge.repeated:,} again), {len(stage.fleet.members)} processes, {stage.events.total():,} events"
    )
    if samples := stage.vitals.get(VETERAN):
        last = samples[-1]
        line += (
            f"; {VETERAN}: {last.rebalances:,} rebalances, {last.records:,} records, {last.memory / 1e6:.1f} MB,"
            f" {last.descriptors} descriptors, {last.threads} threads, {last.tasks} tasks, {last.blocks:,} blocks"
        )
    return f"{line}; {len(stage.judge.findings)} findings"


@frozen
class Summary:
    seed: int
    minutes: float
    written: int
    read: int
    repeated: int
    lost_partitions: int
    refused: int
    incarnations: int
    rebalances: dict[str, int]
    events: dict[str, int]
    errors: dict[str, int]
    drifts: list[Drift]
    stalls: int
    findings: list[str]
    loops: dict[str, int]
    steady: dict[str, str]  # rows of the table
    vitals: dict[str, list[Vitals]]

    @classmethod
    def of(cls, stage: Stage, seed: int, minutes: float, stalls: int, steady: dict[str, str]) -> Summary:
        is_long = minutes >= SHORTEST_FLAT_MINUTES
        drift = [each for name in sorted(stage.vitals) if is_long for each in drifts(name, stage.vitals[name])]
        return cls(
            seed=seed,
            minutes=minutes,
            written=sum(stage.ledger.snapshot().values()),
            read=stage.judge.delivered,
            repeated=stage.judge.repeated,
            lost_partitions=stage.judge.losses,
            refused=len(stage.fleet.refused),
            incarnations=sum(topic.incarnation for topic in stage.topics),
            rebalances={name: samples[-1].rebalances for name, samples in sorted(stage.vitals.items())},
            events=dict(stage.events),
            errors=dict(stage.errors.most_common()),
            drifts=drift,
            stalls=stalls,
            loops=dict(stage.loops),
            steady=steady,
            vitals=dict(stage.vitals),
            findings=[
                *stage.judge.findings,
                *(f"{each.member}: {each.figure} went from {each.before:,.0f} to {each.after:,.0f}"
                  for each in drift if not each.is_flat),
            ],
        )  # fmt: skip

    @property
    def is_good(self) -> bool:
        return not self.findings

    def as_json(self) -> str:
        told: dict[str, Any] = asdict(self)
        return json.dumps(told, indent=2)

    def lines(self) -> Iterator[str]:
        """Return the table, as it stands in docs/proof/soak.md, and what was found."""
        yield from ("| what | figure |", "|---|---|")
        for what, figure in self._rows():
            yield f"| {what} | {figure} |"
        yield from self.findings[:_MOST_SHOWN]

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield "minutes, seed", f"{self.minutes:g}, {self.seed}"
        yield "records acknowledged", f"{self.written:,}"
        yield "records processed, by all groups", f"{self.read:,}"
        yield "of these again, after kills, fencing and seeks", f"{self.repeated:,}"
        yield "partitions lost to fencing", f"{self.lost_partitions:,}"
        yield "members refused permanently where protocols are mixed", f"{self.refused:,}"
        yield "times a topic was deleted and made again", f"{self.incarnations:,}"
        yield "members that joined `storm` and left it again, by process", _joined(self.rebalances, "visitor-storm")
        yield "rebalances in one member", _joined(self.rebalances, "veteran")
        yield "events", ", ".join(f"{name} {count:,}" for name, count in sorted(self.events.items()))
        yield "raised and gone on after", ", ".join(f"`{name}` {count:,}" for name, count in self.errors.items())
        yield "asynchronous members, by their event loop", ", ".join(f"{loop} {n}" for loop, n in self.loops.items())
        yield from self.steady.items()
        yield "times this machine stood still", f"{self.stalls:,}"
        for member in dict.fromkeys(each.member for each in self.drifts):
            changes = [_change(each) for each in self.drifts if each.member == member]
            yield f"{member}, in the second quarter and in the last", "; ".join(changes)
        yield "findings", f"{len(self.findings)}"


def _change(drift: Drift) -> str:
    return f"{drift.figure} {drift.before:,.0f} and {drift.after:,.0f}{'' if drift.is_flat else ', NOT FLAT'}"


def _joined(counts: dict[str, int], prefix: str) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if name.startswith(prefix))
