"""``kafka-nextgen groups describe``: one line to a group of whichever protocol, and details below if wanted."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timezone

import click

from kafka_nextgen.admin import ExpectedMember, GroupAdmin, GroupDescription, GroupOffset
from kafka_nextgen.cli.groups.documents import group_document, member_document, offset_document
from kafka_nextgen.cli.groups.members import print_members
from kafka_nextgen.cli.groups.offsets import print_offsets
from kafka_nextgen.cli.groups.options import Reach, filters, json_option, reaching
from kafka_nextgen.cli.groups.printing import fail_with, print_json, print_table, say
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.types import TopicPartition

__all__ = ["describe"]

_HEADER = ("GROUP", "TYPE", "STATE", "ASSIGNOR", "EPOCH", "TARGET EPOCH", "MEMBERS", "COORDINATOR")

_EXPECTED_HEADER = ("INSTANCE", "UNTIL", "HAS JOINED")

Offsets = dict[TopicPartition, GroupOffset]


@click.command()
@click.argument("group_ids", nargs=-1, metavar="[GROUP]...")
@filters
@click.option("--members", "with_members", is_flag=True, help="Show the members of each group.")
@click.option("--offsets", "with_offsets", is_flag=True, help="Show committed offsets and lag of each group.")
@json_option
@reaching
def describe(
    reach: Reach,
    group_ids: tuple[str, ...],
    types: tuple[str, ...],
    states: tuple[str, ...],
    with_members: bool,
    with_offsets: bool,
    as_json: bool,
) -> None:
    """Describe GROUPs, or all groups, as far as --type and --state leave them."""
    errors: list[KafkaNextgenError] = []
    with reach.open() as admin:
        described = admin.describe(group_ids or _all(admin, reach, types, states, errors), reach.timeout_s)
        groups = [group for group in described.done.values() if _is_wanted(group, types, states)]
        offsets = _offsets_of(admin, reach, groups, errors) if with_offsets else {}
    if as_json:
        print_json([_document(group, with_members, offsets.get(group.group_id)) for group in groups])
    else:
        _print(groups, with_members, offsets)
    fail_with([*described.failed.values(), *errors])


def _all(
    admin: GroupAdmin,
    reach: Reach,
    types: Collection[str],
    states: Collection[str],
    errors: list[KafkaNextgenError],
) -> list[str]:
    listed = admin.list(types, states, reach.timeout_s)
    errors += listed.failed.values()
    return [group.group_id for group in listed.groups]


def _is_wanted(group: GroupDescription, types: Collection[str], states: Collection[str]) -> bool:
    """Whether the filters leave it; also of those listed, for groups change in the meantime."""
    return (not types or group.type.value in types) and (not states or group.state.value in states)


def _offsets_of(
    admin: GroupAdmin, reach: Reach, groups: Collection[GroupDescription], errors: list[KafkaNextgenError]
) -> dict[str, Offsets]:
    offsets = {}
    for group in groups:
        try:
            offsets[group.group_id] = admin.offsets(group.group_id, reach.timeout_s)
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


def _print(groups: Collection[GroupDescription], with_members: bool, offsets: dict[str, Offsets]) -> None:
    print_table(_HEADER, [_row(group) for group in groups])
    for group in groups:
        if with_members and group.members:
            _head(f"Members of {group.group_id}")
            print_members(group.members)
        if group.expected:
            _head(f"Expected in {group.group_id}")
            print_table(_EXPECTED_HEADER, [_expected_row(expected) for expected in group.expected])
        if offsets.get(group.group_id):
            _head(f"Offsets of {group.group_id}")
            print_offsets(offsets[group.group_id])


def _head(line: str) -> None:
    click.echo()
    say(line)


def _row(group: GroupDescription) -> tuple[str | int | None, ...]:
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
