"""Raw requests of the classic protocol, whose answers may come later, and ``tick``, which lets time pass."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import MemberSubscription, encode_assignment, encode_subscription
from kafka_nextgen.groups.leaving import LeaveGroup, LeaveGroupAnswer, LeavingMember
from kafka_nextgen.groups.offered_protocol import OfferedProtocol
from kafka_nextgen.testing.coordinator.classic.requests import Heartbeat, JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import HeartbeatAnswer, JoinGroupAnswer
from kafka_nextgen.types import JoinReason
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import parse_duration, parse_partitions
from tests.verification.scenario_language.raw_members import RawClassicMember
from tests.verification.scenario_language.telling_classic import tell_joined, tell_left, tell_synced
from tests.verification.scenario_language.world import GROUP, LateAnswer, PatientQuestion, World

_MOST_WAITS = 100
_GIVEN_BY_THE_WORLD = 0

_JOINING = ("protocols", "session", "timeout", "instance", "type", "version", "as", "says", "states")
_EMBEDDING = ("embedded",)
_GARBAGE = "garbage"
_GARBAGE_BYTES = b"?"  # not even a version


def join_group(world: World, command: Command) -> Iterator[str]:
    command.expect(range(1, 100), "owns", "user_data", *_EMBEDDING, *_JOINING)
    member, options = world.classic.named(command.name), command.options
    member.topics = command.words[1:] or member.topics
    member.instance_id = options.get("instance") or member.instance_id
    member.protocols = tuple(options["protocols"].split()) if "protocols" in options else member.protocols
    metadata = _subscription(member, command)
    yield from _put(
        world,
        member,
        JoinGroup(
            number=_GIVEN_BY_THE_WORLD,
            group_id=GROUP,
            member_id=_id(world, member, command),
            protocol_type=options.get("type", "consumer"),
            protocols=tuple(OfferedProtocol(name, metadata) for name in member.protocols if name != "-"),
            session_timeout_ms=round(1000 * parse_duration(options.get("session", "10s"))),
            rebalance_timeout_ms=round(1000 * parse_duration(options.get("timeout", "60s"))),
            instance_id=member.instance_id,
            reason=options.get("says"),
            join_reason=JoinReason[options.get("states", "unknown").upper()],
            version=int(options.get("version", 9)),
            new_member_id=f"{member.name}-{len(member.ids) + 1}",
        ),
    )


def sync_group(world: World, command: Command) -> Iterator[str]:
    command.expect(range(1, 100), "generation", "as", "type", "protocol", "user_data", *_EMBEDDING)
    member = world.classic.named(command.name)
    yield from _put(
        world,
        member,
        SyncGroup(
            number=_GIVEN_BY_THE_WORLD,
            group_id=GROUP,
            generation=int(command.options.get("generation", member.generation)),
            member_id=_id(world, member, command),
            instance_id=member.instance_id,
            protocol_type=command.options.get("type", "consumer"),
            protocol_name=command.options.get("protocol", member.protocol),
            assignments=tuple((world.classic.id_of(name), _part(part, command)) for name, part in parts_of(command)),
        ),
    )


def _subscription(member: RawClassicMember, command: Command) -> bytes:
    owned = parse_partitions(command.options.get("owns", "-"))
    version = command.options.get("embedded", "3")
    if version == _GARBAGE:
        return _GARBAGE_BYTES
    said = command.options.get("user_data")
    user_data = None if said is None else said.encode()
    return encode_subscription(MemberSubscription(frozenset(member.topics), owned, user_data=user_data), int(version))


def _part(partitions: str, command: Command) -> bytes:
    user_data = command.options.get("user_data")
    version = command.options.get("embedded", "3")
    if version == _GARBAGE:
        return _GARBAGE_BYTES
    return encode_assignment(parse_partitions(partitions), int(version), user_data.encode() if user_data else None)


def parts_of(command: Command) -> Iterator[tuple[str, str]]:
    """Each begins with ``A=``; what has no name before it belongs to the one before."""
    parts: dict[str, list[str]] = {}
    name = ""
    for word in command.words[1:]:
        before, equals, after = word.partition("=")
        name = before if equals else name
        parts.setdefault(name, []).append(after if equals else word)
    if "" in parts:
        raise command.error("whose part? Write A=foo[0]")
    for name, words in parts.items():
        yield name, " ".join(words)


def heartbeat_group(world: World, command: Command) -> Iterator[str]:
    command.expect(1, "generation", "as", "instance")
    member = world.classic.named(command.name)
    generation = int(command.options.get("generation", member.generation))
    instance_id = command.options.get("instance", member.instance_id)
    member_id = _id(world, member, command)
    answer = world.ask(Heartbeat(GROUP, generation, member_id, None if instance_id == "-" else instance_id)).answer
    assert isinstance(answer, HeartbeatAnswer)
    yield f"-> {command.name} {'ok' if answer.error is ErrorCode.NONE else answer.error.name}"
    yield from tell_arrived(world)


def leave_group(world: World, command: Command) -> Iterator[str]:
    command.expect(range(1, 100), "says")
    members = []
    for word in command.words:
        name, _, instance_id = word.partition("@")
        member_id = world.classic.id_of(name) if name else ""
        members.append(LeavingMember(member_id, instance_id or None, command.options.get("says")))
    answer = world.ask(LeaveGroup(GROUP, tuple(members))).answer
    assert isinstance(answer, LeaveGroupAnswer)
    yield from tell_left(answer.members, world.classic.write)
    yield from tell_arrived(world)


def wait_for(world: World, command: Command) -> Iterator[str]:
    command.expect(range(1, 100))
    missing = set(command.words)
    for _ in range(_MOST_WAITS):
        yield from world.wait()
        arrived = world.arrived()
        missing -= arrived.keys()
        yield from _tell(world, arrived)
        if not missing:
            return
    raise command.error(f"{' and '.join(sorted(missing))} wait for ever")


def _id(world: World, member: RawClassicMember, command: Command) -> str:
    return world.classic.id_of(command.options["as"]) if "as" in command.options else member.latest_id


def _put(world: World, member: RawClassicMember, question: PatientQuestion) -> Iterator[str]:
    world.put(member.name, question)
    arrived = world.arrived()
    if member.name not in arrived:
        yield f"   {member.name} waits"
    yield from _tell(world, arrived, first=member.name)


def tell_arrived(world: World) -> Iterator[str]:
    yield from _tell(world, world.arrived())


def _tell(world: World, arrived: dict[str, LateAnswer], first: str = "") -> Iterator[str]:
    """By name, but for the one that comes ``first``. All have their ids before any of them is written."""
    for name, answer in arrived.items():
        if isinstance(answer, JoinGroupAnswer):
            _remember(world.classic.named(name), answer)
    for name, answer in sorted(arrived.items(), key=lambda each: (each[0] != first, each[0])):
        if isinstance(answer, JoinGroupAnswer):
            yield tell_joined(name, answer, world.classic.write)
        else:
            yield tell_synced(name, answer, with_user_data=world.classic.tells_user_data)


def _remember(member: RawClassicMember, answer: JoinGroupAnswer) -> None:
    if answer.error in (ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED):
        member.take(answer.member_id)
    if answer.error is ErrorCode.NONE:
        member.generation, member.protocol = answer.generation, answer.protocol_name


def tick(world: World, command: Command) -> Iterator[str]:
    command.expect(1)
    yield from world.pass_time(parse_duration(command.name))
    yield from tell_arrived(world)
