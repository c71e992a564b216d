"""``kafka-nextgen groups history``: why a group rebalanced."""

from __future__ import annotations

import click
from attrs import asdict

from kafka_nextgen.admin import PastRebalance
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, json_option
from kafka_nextgen.cli.output import Columns, print_json, print_rows, utc, words
from kafka_nextgen.types import JoinReason

__all__ = ["history"]

_COLUMNS: Columns[PastRebalance] = {
    "NUMBER": lambda rebalance: rebalance.number,
    "CAUSED AT": lambda rebalance: utc(rebalance.caused_at).strftime("%Y-%m-%d %H:%M:%S"),
    "DELAY": lambda rebalance: None if rebalance.delay_s is None else f"{rebalance.delay_s:.3f}s",
    "TYPE": lambda rebalance: rebalance.type.value,
    "EPOCH": lambda rebalance: rebalance.epoch,
    "TARGET EPOCH": lambda rebalance: rebalance.target_epoch,
    "REASON": lambda rebalance: words(rebalance.reason),
    "MEMBER": lambda rebalance: rebalance.instance_id or rebalance.member_id,
    "STATED": lambda rebalance: None if rebalance.stated is JoinReason.UNKNOWN else words(rebalance.stated),
    "TEXT": lambda rebalance: rebalance.text or None,
}


@click.command(short_help="Show why a group rebalanced.")
@click.argument("group_id", metavar="GROUP")
@json_option
@cluster_options
def history(cluster: ClusterOptions, group_id: str, as_json: bool) -> None:
    """Show the recent rebalances of GROUP and their causes, as recorded by its coordinator.

    The delay is from the cause to the assignment that takes it into account; - means no assignment yet. Apache Kafka's
    own coordinators keep no history.
    """
    with cluster.open() as admin:
        rebalances = admin.history(group_id, cluster.timeout_s)
    if as_json:
        print_json([_rebalance_document(rebalance) for rebalance in rebalances])
    else:
        print_rows(_COLUMNS, rebalances)


def _rebalance_document(rebalance: PastRebalance) -> dict[str, object]:
    """Return a rebalance; times are in seconds since the Unix epoch."""
    names = {"reason": rebalance.reason.name.lower(), "stated": rebalance.stated.name.lower()}
    return {**asdict(rebalance, recurse=False), **names, "delay_s": rebalance.delay_s}
