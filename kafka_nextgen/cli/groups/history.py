"""``kafka-nextgen groups history``: one line to a rebalance, the oldest first."""

from __future__ import annotations

from datetime import datetime, timezone

import click

from kafka_nextgen.admin import PastRebalance
from kafka_nextgen.cli.groups.documents import rebalance_document
from kafka_nextgen.cli.groups.options import Reach, json_option, reaching
from kafka_nextgen.cli.groups.printing import print_json, print_table
from kafka_nextgen.types import JoinReason

__all__ = ["history"]

_HEADER = ("NUMBER", "CAUSED AT", "DELAY", "TYPE", "EPOCH", "TARGET EPOCH", "REASON", "MEMBER", "STATED", "TEXT")


@click.command()
@click.argument("group_id", metavar="GROUP")
@json_option
@reaching
def history(reach: Reach, group_id: str, as_json: bool) -> None:
    """Show why GROUP rebalanced, as far back as its coordinator remembers.

    The delay is from the cause to the assignment that takes it into account, - as long as there is none. Apache Kafka's
    own coordinators keep no history.
    """
    with reach.open() as admin:
        rebalances = admin.history(group_id, reach.timeout_s)
    if as_json:
        print_json([rebalance_document(rebalance) for rebalance in rebalances])
    else:
        print_table(_HEADER, [_row(rebalance) for rebalance in rebalances])


def _row(rebalance: PastRebalance) -> tuple[str | int | None, ...]:
    return (
        rebalance.number,
        datetime.fromtimestamp(rebalance.caused_at, timezone.utc).strftime("%Y-%m-%d %H:%M:%S"),
        None if rebalance.delay_s is None else f"{rebalance.delay_s:.3f}s",
        rebalance.type.value,
        rebalance.epoch,
        rebalance.target_epoch,
        rebalance.reason.name.lower().replace("_", " "),
        rebalance.instance_id or rebalance.member_id,
        None if rebalance.stated is JoinReason.UNKNOWN else rebalance.stated.name.lower().replace("_", " "),
        rebalance.text or None,
    )
