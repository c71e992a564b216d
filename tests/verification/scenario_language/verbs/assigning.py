"""Raw members that compute their group's assignment (KIP-848, "Client Side Mode"): what they ask, and bring."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.assignors.spec import AssignorMetadata, ClientAssignor, MemberAssignment
from kafka_nextgen.assignors.user_data import MemberWord
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.topic_partitions import TopicPartitions, flatten, to_topic_partitions
from kafka_nextgen.testing.coordinator.extensions.requests import InstallAssignment, PrepareAssignment
from kafka_nextgen.testing.coordinator.extensions.responses import (
    AssignmentInstalled,
    AssignmentPrepared,
    PreparedMember,
)
from tests.verification.scenario_language.assignor_words import (
    client_assignor,
    parse_member_word,
    write_member_word,
)
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.telling import Write
from tests.verification.scenario_language.telling_assigning import tell_installed, tell_prepared
from tests.verification.scenario_language.verbs.classic_requests import parts_of
from tests.verification.scenario_language.verbs.own_assignors import assignment_of
from tests.verification.scenario_language.world import GROUP, World

OPTIONS = ("local", "said")

_NONE = "-"


def client_assignors(command: Command) -> tuple[ClientAssignor, ...] | None:
    if "local" not in command.options:
        return None
    names = [name for name in command.options["local"].split() if name != _NONE]
    words = [parse_member_word(word) for word in command.options.get("said", "v0").split()]
    return tuple(client_assignor(name, words[min(at, len(words) - 1)]) for at, name in enumerate(names))


def prepare(world: World, command: Command) -> Iterator[str]:
    command.expect(1, "epoch")
    heard = world.ask(PrepareAssignment(GROUP, command.name, _epoch(world, command)))
    answer = heard.answer
    assert isinstance(answer, AssignmentPrepared)
    yield tell_prepared(command.name, answer)
    if answer.error is ErrorCode.NONE:
        world.raw.named(command.name).prepared_epoch = answer.group_epoch
    for name, member in sorted(answer.members.items()):
        yield _tell_member(world.classic.write(name), member, world.write)


def _tell_member(name: str, member: PreparedMember, write: Write) -> str:
    said = write_member_word(MemberWord(AssignorMetadata(member.spec.reason, member.spec.metadata)))
    return f"   {name} epoch={member.member_epoch} said={said} target={write(flatten(member.spec.target))}"


def install(world: World, command: Command) -> Iterator[str]:
    command.expect(range(1, 100), "epoch", "of", "error", "message")
    options, member = command.options, world.raw.named(command.name)
    request = InstallAssignment(
        group_id=GROUP,
        member_id=command.name,
        member_epoch=_epoch(world, command),
        group_epoch=int(options.get("of", member.prepared_epoch)),
        error=int(options.get("error", "0")),
        members=_assignments(world, command),
        message=options.get("message"),
    )
    heard = world.ask(request)
    yield from heard.before
    assert isinstance(heard.answer, AssignmentInstalled)
    yield tell_installed(command.name, heard.answer)


def _assignments(world: World, command: Command) -> dict[str, MemberAssignment]:
    def share(partitions: str) -> TopicPartitions:
        return to_topic_partitions(world.with_ids(partitions))

    known = world.classic.known
    return {
        known[name].latest_id if name in known else name: assignment_of(part, share) for name, part in parts_of(command)
    }


def _epoch(world: World, command: Command) -> int:
    given = command.options.get("epoch")
    return world.raw.named(command.name).epoch if given is None else world.raw.epochs.read(given)
