"""What the coordinator remembers of rebalances: an extension, so ``settings extensions=on`` comes first.

history        each rebalance, the oldest first: its cause, when that was, and how long the assignment took
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.extensions.records import Rebalance
from kafka_nextgen.coordinator.extensions.requests import DescribeHistory
from kafka_nextgen.coordinator.extensions.responses import HistoryDescribed
from kafka_nextgen.types import JoinReason
from tests.scenario_language.grammar import Command
from tests.scenario_language.host import BEGINNING
from tests.scenario_language.notation import write_duration
from tests.scenario_language.pure import PureWorld
from tests.scenario_language.world import GROUP

__all__ = ["history"]


def history(world: PureWorld, command: Command) -> Iterator[str]:
    """Tell the history of the group."""
    command.expect(0)
    world.set_up()
    answer = world.host.ask(DescribeHistory(GROUP)).response
    assert isinstance(answer, HistoryDescribed)
    if answer.error is not ErrorCode.NONE:
        yield f"-> {answer.error.name}"
        return
    yield "-> history" if answer.rebalances else "-> no history"
    for rebalance in answer.rebalances:
        yield f"   {_told(world, rebalance)}"


def _told(world: PureWorld, rebalance: Rebalance) -> str:
    """``3 consumer epoch=4 MEMBER_LEFT A at=5s delay=0s target=4``."""
    cause, assigned_at_ms = rebalance.cause, rebalance.assigned_at_ms
    words = [
        str(rebalance.number),
        "classic" if rebalance.is_classic else "consumer",
        f"epoch={rebalance.epoch}",
        cause.reason.name,
        world.classic.write(cause.member_id) if cause.member_id else "nobody",
        f"at={write_duration(rebalance.caused_at_ms - round(1000 * BEGINNING))}",
    ]
    if assigned_at_ms is not None:
        words += [
            f"delay={write_duration(assigned_at_ms - rebalance.caused_at_ms)}",
            f"target={rebalance.target_epoch}",
        ]
    if cause.stated is not JoinReason.UNKNOWN:
        words.append(f"states={cause.stated.name}")
    if cause.text:
        words.append(f"says={cause.text}")
    return " ".join(words)
