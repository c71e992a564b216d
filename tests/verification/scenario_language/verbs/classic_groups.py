"""A group as administrators see it, and commits of members of a classic group."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.groups.described import ConsumerGroupDescribed, GroupsDescribed
from kafka_nextgen.groups.listed import GroupsDeleted, GroupsListed
from kafka_nextgen.testing.coordinator.classic.requests import DescribeGroups
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupDescribe, DeleteGroups, ListGroups, OffsetCommit
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted
from kafka_nextgen.types import OffsetAndMetadata
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import parse_offset
from tests.verification.scenario_language.telling import tell_commit, tell_members
from tests.verification.scenario_language.telling_classic import tell_described
from tests.verification.scenario_language.world import GROUP, World


def describe_group(world: World, command: Command) -> Iterator[str]:
    command.expect(0)
    answer = world.ask(DescribeGroups((GROUP,))).answer
    assert isinstance(answer, GroupsDescribed)
    yield from tell_described(answer.groups[0], world.classic.write)


def describe_members(world: World, command: Command) -> Iterator[str]:
    command.expect(0)
    answer = world.ask(ConsumerGroupDescribe((GROUP,))).answer
    assert isinstance(answer, ConsumerGroupDescribed)
    yield from tell_members(answer.groups[0], world.classic.write, world.raw.epochs.write, world.write)


def list_groups(world: World, command: Command) -> Iterator[str]:
    """Tell the group's type and state as ListGroups has it; nothing if it is not in the list."""
    command.expect(0, "types", "states")
    types, states = (frozenset(command.options.get(key, "").split()) for key in ("types", "states"))
    answer = world.ask(ListGroups(states, types)).answer
    assert isinstance(answer, GroupsListed)
    for group in answer.groups:
        if group.group_id == GROUP:
            yield f"-> {group.group_type} {group.state}"


def delete_group(world: World, command: Command) -> Iterator[str]:
    command.expect(0)
    answer = world.ask(DeleteGroups((GROUP,))).answer
    assert isinstance(answer, GroupsDeleted)
    yield f"-> {answer.results[GROUP].name}"


def commit_group(world: World, command: Command) -> Iterator[str]:
    command.expect(range(2, 100), "generation", "as", "instance")
    member = world.classic.named(command.name)
    member_id = world.classic.id_of(command.options["as"]) if "as" in command.options else member.latest_id
    request = OffsetCommit(
        GROUP,
        {partition: OffsetAndMetadata(offset) for partition, offset in map(parse_offset, command.words[1:])},
        member_id,
        int(command.options.get("generation", member.generation)),
        command.options.get("instance", member.instance_id),
    )
    answer = world.ask(request).answer
    assert isinstance(answer, OffsetsCommitted)
    yield from tell_commit(command.name, answer)
