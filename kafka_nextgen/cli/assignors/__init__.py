"""``kafka-nextgen assignors explain``: the result of assignors for a live group, or for a group described in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

import click

from kafka_nextgen.assignors import (
    Balance,
    Explanation,
    Loads,
    MemberChange,
    PartitionAssignor,
    PartitionAssignorError,
    explain,
)
from kafka_nextgen.cli.assignors.group_file import read_group
from kafka_nextgen.cli.assignors.loading import find_assignor
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, json_option
from kafka_nextgen.cli.output import fail_with, print_json, print_line

__all__ = ["assignors"]


@click.command("explain", short_help="Show the assignment that assignors would make.")
@click.option("-g", "--group", "group_id", metavar="GROUP", help="A group of the cluster, of either protocol.")
@click.option(
    "-f",
    "--file",
    type=click.File(encoding="utf-8"),
    help="A group as 'groups describe GROUP --members --json' prints it; - for stdin.",
)
@click.option(
    "-a",
    "--assignor",
    "names",
    multiple=True,
    metavar="NAME|MODULE:CLASS",
    help="An assignor, or MODULE:CLASS for your own. Can be repeated. Default: the group's assignor.",
)
@json_option
@cluster_options
def explain_(
    cluster: ClusterOptions, group_id: str | None, file: IO[str] | None, names: tuple[str, ...], as_json: bool
) -> None:
    """Show the result of assignors for a group: balance, moves, and the gains and losses of each member.

    The group does not change: this command describes it, and runs the assignors itself. The built-in assignors are
    uniform, range, rack-aware and weighted, and, of the classic protocol, roundrobin and cooperative-sticky.

    The exit code is 1 if an assignor fails or its assignment is not valid.
    """
    if (group_id is None) == (file is None):
        raise click.UsageError("name a group: --group for a group of the cluster, or --file for a described group")
    assignors = [find_assignor(name) for name in names]  # fail before sending a request
    if file is None:
        explanations = _explain_live_group(cluster, str(group_id), assignors)
    else:
        read = read_group(file.read(), file.name)
        explanations = [explain(each, read, read.topics) for each in assignors or [_current_assignor(read.assignor)]]
    if as_json:
        print_json([_explanation_document(each) for each in explanations])
    else:
        for line in "\n\n".join(map(str, explanations)).split("\n"):
            print_line(line)
    invalid = [each.assignor for each in explanations if not each.is_valid]
    fail_with(PartitionAssignorError(f"{name} can't assign this group") for name in invalid)


def _explain_live_group(
    cluster: ClusterOptions, group_id: str, assignors: Sequence[PartitionAssignor]
) -> list[Explanation]:
    """Describe the group again for each assignor, because members send different metadata to each."""
    with cluster.open() as admin:
        if not assignors:
            assignors = [_current_assignor(admin.describe([group_id], cluster.timeout_s)[group_id].assignor)]
        return [explain(each, admin.assignment_spec(group_id, each.name, cluster.timeout_s)) for each in assignors]


def _current_assignor(name: str) -> PartitionAssignor:
    if not name:
        raise click.UsageError("the group has no assignor yet: name one with --assignor")
    return find_assignor(name)


#: The properties of a member in JSON, under their own names.
_MEMBER_FIELDS = ("member_id", "instance_id", "rack_id", "before", "after", "load_before", "load_after")


def _explanation_document(explanation: Explanation) -> dict[str, object]:
    return {
        "assignor": explanation.assignor,
        "is_valid": explanation.is_valid,
        "failure": explanation.failure,
        "flaws": explanation.flaws,
        "error": explanation.error,
        "moves": len(explanation.moves),
        "kept": explanation.kept,
        "stickiness": explanation.stickiness,
        "before": _balance_document(explanation.before, explanation.loads_before, explanation.across_before),
        "after": _balance_document(explanation.after, explanation.loads_after, explanation.across_after),
        "members": [_member_document(member) for member in explanation.members],
    }


def _balance_document(balance: Balance, loads: Loads | None, across_racks: int) -> dict[str, object]:
    return {
        "fewest": balance.fewest,
        "most": balance.most,
        "spread": balance.spread,
        "least_load": None if loads is None else loads.least,
        "most_load": None if loads is None else loads.most,
        "across_racks": across_racks,
    }


def _member_document(member: MemberChange) -> dict[str, object]:
    own = {name: getattr(member, name) for name in _MEMBER_FIELDS}
    return {**own, "gains": member.gains, "loses": member.loses, "across_racks": member.across_after}


@click.group(commands=[explain_])
def assignors() -> None:
    """See the result of an assignor for a group."""
