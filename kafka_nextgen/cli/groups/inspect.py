"""The commands that only read: ``kafka-nextgen groups list``, ``describe``, ``history`` and ``validate-regex``."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timezone

import click

from kafka_nextgen.admin import ExpectedMember, GroupAdmin, GroupDescription, GroupOffset, PastRebalance
from kafka_nextgen.cli.groups.documents import group_document, member_document, offset_document, rebalance_document
from kafka_nextgen.cli.groups.members import print_members
from kafka_nextgen.cli.groups.offsets import print_offsets
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, filters, json_option
from kafka_nextgen.cli.output import fail_with, print_json, print_line, print_table
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.types import JoinReason, TopicPartition

__all__ = ["describe", "history", "list_", "validate_regex"]

_GROUP_HEADER = ("GROUP", "TYPE", "STATE", "ASSIGNOR", "EPOCH", "TARGET EPOCH", "MEMBERS", "COORDINATOR")
_EXPECTED_HEADER = ("INSTANCE", "UNTIL", "HAS JOINED")
_HISTORY_HEADER = (
    "NUMBER",
    "CAUSED AT",
    "DELAY",
    "TYPE",
    "EPOCH",
    "TARGET EPOCH",
    "REASON",
    "MEMBER",
    "STATED",
    "TEXT",
)


@click.command("list")
@filters
@json_option
@cluster_options
def list_(cluster: ClusterOptions, types: tuple[str, ...], states: tuple[str, ...], as_json: bool) -> None:
    """List the groups of all brokers."""
    with cluster.open() as admin:
        listed = admin.list(types, states, cluster.timeout_s)
    rows = [(group.group_id, group.type.value, group.state.value, group.protocol_type) for group in listed.groups]
    if as_json:
        print_json([dict(zip(("group", "type", "state", "protocol_type"), row, strict=True)) for row in rows])
    else:
        print_table(("GROUP", "TYPE", "STATE", "PROTOCOL TYPE"), [(*row[:3], row[3] or None) for row in rows])
    fail_with(listed.failed.values())


Offsets = dict[TopicPartition, GroupOffset]


@click.command()
@click.argument("group_ids", nargs=-1, metavar="[GROUP]...")
@filters
@click.option("--members", "with_members", is_flag=True, help="Show the members of each group.")
@click.option("--offsets", "with_offsets", is_flag=True, help="Show committed offsets and lag of each group.")
@json_option
@cluster_options
def describe(
    cluster: ClusterOptions,
    group_ids: tuple[str, ...],
    types: tuple[str, ...],
    states: tuple[str, ...],
    with_members: bool,
    with_offsets: bool,
    as_json: bool,
) -> None:
    """Describe GROUPs, or all groups, as far as --type and --state leave them."""
    errors: list[KafkaNextgenError] = []
    with cluster.open() as admin:
        described = admin.describe(group_ids or _list_ids(admin, cluster, types, states, errors), cluster.timeout_s)
        groups = [group for group in described.done.values() if _is_wanted(group, types, states)]
        offsets = _offsets_of(admin, cluster, groups, errors) if with_offsets else {}
    if as_json:
        print_json([_document(group, with_members, offsets.get(group.group_id)) for group in groups])
    else:
        _print_groups(groups, with_members, offsets)
    fail_with([*described.failed.values(), *errors])


def _list_ids(
    admin: GroupAdmin,
    cluster: ClusterOptions,
    types: Collection[str],
    states: Collection[str],
    errors: list[KafkaNextgenError],
) -> list[str]:
    listed = admin.list(types, states, cluster.timeout_s)
    errors += listed.failed.values()
    return [group.group_id for group in listed.groups]


def _is_wanted(group: GroupDescription, types: Collection[str], states: Collection[str]) -> bool:
    """Apply the filters again, because groups change after they are listed."""
    return (not types or group.type.value in types) and (not states or group.state.value in states)


def _offsets_of(
    admin: GroupAdmin, cluster: ClusterOptions, groups: Collection[GroupDescription], errors: list[KafkaNextgenError]
) -> dict[str, Offsets]:
    offsets = {}
    for group in groups:
        try:
            offsets[group.group_id] = admin.offsets(group.group_id, cluster.timeout_s)
        except KafkaNextgenError as error:
            errors.append(error)
    return offsets


def _document(group: GroupDescription, with_members: bool, offsets: Offsets | None) -> dict[str, object]:
    document = group_document(group)
    if with_members:
        document["members"] = [member_document(member) for member in group.members]
    if offsets is not None:
        document["offsets"] = [offset_document(partition, offset) for partition, offset in offsets.items()]
    return document


def _print_groups(groups: Collection[GroupDescription], with_members: bool, offsets: dict[str, Offsets]) -> None:
    print_table(_GROUP_HEADER, [_group_row(group) for group in groups])
    for group in groups:
        if with_members and group.members:
            _print_heading(f"Members of {group.group_id}")
            print_members(group.members)
        if group.expected:
            _print_heading(f"Expected in {group.group_id}")
            print_table(_EXPECTED_HEADER, [_expected_row(expected) for expected in group.expected])
        if offsets.get(group.group_id):
            _print_heading(f"Offsets of {group.group_id}")
            print_offsets(offsets[group.group_id])


def _print_heading(line: str) -> None:
    click.echo()
    print_line(line)


def _group_row(group: GroupDescription) -> tuple[str | int | None, ...]:
    return (
        group.group_id,
        group.type.value,
        group.state.value,
        group.assignor or None,
        group.group_epoch,
        group.assignment_epoch,
        len(group.members),
        str(group.coordinator),
    )


def _expected_row(expected: ExpectedMember) -> tuple[str, ...]:
    until = datetime.fromtimestamp(expected.until_ms / 1000, timezone.utc)
    return expected.instance_id, until.isoformat(sep=" ", timespec="seconds"), "yes" if expected.has_joined else "no"


@click.command()
@click.argument("group_id", metavar="GROUP")
@json_option
@cluster_options
def history(cluster: ClusterOptions, group_id: str, as_json: bool) -> None:
    """Show why GROUP rebalanced, as far back as its coordinator remembers.

    The delay is from the cause to the assignment that takes it into account, - as long as there is none. Apache Kafka's
    own coordinators keep no history.
    """
    with cluster.open() as admin:
        rebalances = admin.history(group_id, cluster.timeout_s)
    if as_json:
        print_json([rebalance_document(rebalance) for rebalance in rebalances])
    else:
        print_table(_HISTORY_HEADER, [_rebalance_row(rebalance) for rebalance in rebalances])


def _rebalance_row(rebalance: PastRebalance) -> tuple[str | int | None, ...]:
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


@click.command("validate-regex")
@click.argument("pattern")
@json_option
@cluster_options
def validate_regex(cluster: ClusterOptions, pattern: str, as_json: bool) -> None:
    """Try PATTERN as a subscription, and show the topics it matches now.

    Tried here, with google-re2: Kafka has no way to ask a broker, whose RE2/J differs in corners. Whole names match.
    """
    with cluster.open() as admin:
        checked = admin.validate_regex(pattern, cluster.timeout_s)
    if as_json:
        print_json(
            {
                "pattern": pattern,
                "is_valid": checked.is_valid,
                "topics": list(checked.topics),
                "error": checked.error,
                "advice": checked.advice,
            }
        )
    if checked.error is not None:
        raise click.ClickException(checked.error)
    if not as_json:
        for line in checked.topics or ("It matches no topic there is.",):
            print_line(line)
    if checked.advice:
        print_line(f"Warning: {checked.advice}", err=True)
