"""The commands that only read: ``kafka-nextgen groups describe`` and ``validate-regex``."""

from __future__ import annotations

from collections.abc import Collection

import click
from attrs import asdict

from kafka_nextgen.admin import ExpectedMember, GroupAdmin, GroupDescription, GroupOffset, LeavingMember
from kafka_nextgen.cli.groups.members import print_members
from kafka_nextgen.cli.groups.offsets import offset_document, print_offsets
from kafka_nextgen.cli.options import ClusterOptions, cluster_options, filters, json_option
from kafka_nextgen.cli.output import Columns, fail_with, print_json, print_line, print_rows, utc, words
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.types import TopicPartition

__all__ = ["describe", "validate_regex"]

_UNKNOWN = 3  # the exit code; 2 means wrong usage

Offsets = dict[TopicPartition, GroupOffset]

_GROUP_COLUMNS: Columns[GroupDescription] = {
    "GROUP": lambda group: group.group_id,
    "TYPE": lambda group: group.type.value,
    "STATE": lambda group: group.state.value,
    "ASSIGNOR": lambda group: group.assignor or None,
    "EPOCH": lambda group: group.group_epoch,
    "TARGET EPOCH": lambda group: group.assignment_epoch,
    "MEMBERS": lambda group: len(group.members),
    "COORDINATOR": lambda group: str(group.coordinator),
}
#: The additional column if any group has standbys.
_STANDBY_COLUMNS: Columns[GroupDescription] = {"STANDBYS": lambda group: _standby_count(group)}
#: The additional column with --authorized-operations.
_OPERATIONS_COLUMNS: Columns[GroupDescription] = {
    "OPERATIONS": lambda group: ", ".join(_operations(group) or ()) or None
}
_EXPECTED_COLUMNS: Columns[ExpectedMember] = {
    "INSTANCE": lambda expected: expected.instance_id,
    "UNTIL": lambda expected: _second(expected.until_ms),
    "HAS JOINED": lambda expected: "yes" if expected.has_joined else "no",
}
_LEAVING_COLUMNS: Columns[LeavingMember] = {
    "INSTANCE": lambda leaving: leaving.instance_id,
    "MEMBER": lambda leaving: leaving.member_id,
    "UNTIL": lambda leaving: _second(leaving.until_ms),
    "HAS LEFT": lambda leaving: "yes" if leaving.has_left else "no",
}


def _second(at_ms: int) -> str:
    return utc(at_ms / 1000).isoformat(sep=" ", timespec="seconds")


@click.command(short_help="Describe groups, with members or offsets.")
@click.argument("group_ids", nargs=-1, metavar="[GROUP]...")
@filters
@click.option("--members", "with_members", is_flag=True, help="Show the members of each group.")
@click.option("--offsets", "with_offsets", is_flag=True, help="Show committed offsets and lag of each group.")
@click.option(
    "--authorized-operations", "with_operations", is_flag=True, help="Show what you may do with each group (ACLs)."
)
@json_option
@cluster_options
def describe(
    cluster: ClusterOptions,
    group_ids: tuple[str, ...],
    types: tuple[str, ...],
    states: tuple[str, ...],
    with_members: bool,
    with_offsets: bool,
    with_operations: bool,
    as_json: bool,
) -> None:
    """Describe GROUPs, or all groups that match --type and --state."""
    errors: list[KafkaNextgenError] = []
    with cluster.open() as admin:
        if not group_ids:
            listed = admin.list(types, states, cluster.timeout_s)
            group_ids = tuple(group.group_id for group in listed.groups)
            errors += listed.failed.values()
        described = admin.describe(group_ids, cluster.timeout_s, include_authorized_operations=with_operations)
        groups = [group for group in described.done.values() if _is_wanted(group, types, states)]
        offsets = _offsets_of(admin, cluster, groups, errors) if with_offsets else {}
    if as_json:
        print_json([_document(group, with_members, offsets.get(group.group_id)) for group in groups])
    else:
        _print_groups(groups, with_members, offsets)
    fail_with([*described.failed.values(), *errors])


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
    document: dict[str, object] = {
        "group": group.group_id,
        "type": group.type,
        "state": group.state,
        "protocol_type": group.protocol_type,
        "assignor": group.assignor,
        "group_epoch": group.group_epoch,
        "assignment_epoch": group.assignment_epoch,
        "member_count": len(group.members),
        "standby_count": _standby_count(group),
        "coordinator": group.coordinator,
        "expected": group.expected,
        "leaving": group.leaving,
    }
    if group.authorized_operations is not None:
        document["authorized_operations"] = _operations(group)
    if with_members:
        document["members"] = group.members
    if offsets is not None:
        document["offsets"] = [offset_document(partition, offset) for partition, offset in offsets.items()]
    return document


def _standby_count(group: GroupDescription) -> int:
    return sum(member.standby_place > 0 for member in group.members)


def _operations(group: GroupDescription) -> list[str] | None:
    """Return the names of the operations that the client may perform; None if the broker did not say."""
    if group.authorized_operations is None:
        return None
    return sorted(map(words, group.authorized_operations))


def _print_groups(groups: Collection[GroupDescription], with_members: bool, offsets: dict[str, Offsets]) -> None:
    columns = dict(_GROUP_COLUMNS)
    if any(map(_standby_count, groups)):
        columns |= _STANDBY_COLUMNS
    if any(group.authorized_operations is not None for group in groups):
        columns |= _OPERATIONS_COLUMNS
    print_rows(columns, groups)
    for group in groups:
        if with_members and group.members:
            _print_heading(f"Members of {group.group_id}")
            print_members(group.members)
        if group.expected:
            _print_heading(f"Expected in {group.group_id}")
            print_rows(_EXPECTED_COLUMNS, group.expected)
        if group.leaving:
            _print_heading(f"Leaving {group.group_id}")
            print_rows(_LEAVING_COLUMNS, group.leaving)
        if offsets.get(group.group_id):
            _print_heading(f"Offsets of {group.group_id}")
            print_offsets(offsets[group.group_id])


def _print_heading(line: str) -> None:
    click.echo()
    print_line(line)


@click.command("validate-regex", short_help="Try a pattern as a subscription.")
@click.argument("pattern")
@json_option
@cluster_options
def validate_regex(cluster: ClusterOptions, pattern: str, as_json: bool) -> None:
    """Try PATTERN as a subscription, and show the topics it matches now.

    Patterns match whole names. This command evaluates them itself, because Kafka's brokers can't check a pattern. Exit
    codes: 0 if Kafka accepts the pattern, 1 if it refuses it, 3 if that is unknown because the pattern is too large for
    google-re2, or google-re2 is not installed.
    """
    with cluster.open() as admin:
        checked = admin.validate_regex(pattern, cluster.timeout_s)
    if as_json:
        is_valid = None if checked.unknown else checked.is_valid
        print_json({"pattern": pattern, "is_valid": is_valid, **asdict(checked)})
    if checked.error is not None:
        raise click.ClickException(checked.error)
    if checked.unknown is not None:
        print_line(f"Unknown: {checked.unknown}", err=True)
        raise SystemExit(_UNKNOWN)
    if not as_json:
        for line in checked.topics or ("It matches no existing topic.",):
            print_line(line)
    if checked.advice:
        print_line(f"Warning: {checked.advice}", err=True)
