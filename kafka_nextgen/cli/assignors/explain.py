"""``kafka-nextgen assignors explain``: what assignors would do to a live group, or to one described in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO

import click

from kafka_nextgen.assignors import Explanation, PartitionAssignor, PartitionAssignorError, explain
from kafka_nextgen.cli.assignors.documents import explanation_document
from kafka_nextgen.cli.assignors.file import read_group
from kafka_nextgen.cli.assignors.finding import assignor_called
from kafka_nextgen.cli.groups.options import Reach, json_option, reaching
from kafka_nextgen.cli.groups.printing import fail_with, print_json, say

__all__ = ["explain_"]


@click.command("explain")
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
    help="An assignor by name, or your own; may be given again. The group's own if none is given.",
)
@json_option
@reaching
def explain_(reach: Reach, group_id: str | None, file: IO[str] | None, names: tuple[str, ...], as_json: bool) -> None:
    """Show what assignors would do to a group: balance, moves, and what each member gains and loses.

    Nothing is changed: the group is described, and the assignors run here. Built in are uniform, range, rack-aware,
    weighted, and those of the classic protocol, roundrobin and cooperative-sticky.

    The exit code is 1 if an assignor fails or what it makes of the group is not valid.
    """
    if (group_id is None) == (file is None):
        raise click.UsageError("say which group: --group of a cluster, or --file with a described one")
    assignors = [assignor_called(name) for name in names]  # before anybody is asked
    if file is None:
        told = _of_cluster(reach, str(group_id), assignors)
    else:
        read = read_group(file.read(), file.name)
        told = [explain(each, read.group, read.topics) for each in assignors or [_own(read.assignor)]]
    if as_json:
        print_json([explanation_document(each) for each in told])
    else:
        for line in "\n\n".join(map(str, told)).split("\n"):
            say(line)
    fail_with(_refusals(told))


def _of_cluster(reach: Reach, group_id: str, assignors: Sequence[PartitionAssignor]) -> list[Explanation]:
    """Read anew for each: members say something else to every assignor."""
    with reach.open() as admin:
        if not assignors:
            assignors = [_own(admin.describe([group_id], reach.timeout_s)[group_id].assignor)]
        return [explain(each, admin.assignment_spec(group_id, each.name, reach.timeout_s)) for each in assignors]


def _own(name: str) -> PartitionAssignor:
    if not name:
        raise click.UsageError("the group has no assignor of its own yet: say which one to try by --assignor")
    return assignor_called(name)


def _refusals(told: Sequence[Explanation]) -> list[PartitionAssignorError]:
    return [PartitionAssignorError(f"{each.assignor} can't assign this group") for each in told if not each.is_valid]
