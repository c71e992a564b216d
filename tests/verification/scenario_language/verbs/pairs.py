"""The whole pair at once: ``settle``, ``state``, a coordinator that goes down, any commits, and faults on links."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.membership.states import Phase
from kafka_nextgen.types import format_partitions
from tests.verification.scenario_language.client import Client
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.network import COORDINATOR, Kind, Link, Message
from tests.verification.scenario_language.pair import PairWorld
from tests.verification.scenario_language.verbs import desks, groups, offsets


def commit(world: PairWorld, command: Command) -> Iterator[str]:
    """Commit by the machine of a member that has one, or as it is written."""
    by_machine = command.name in world.clients
    yield from desks.commit(world, command) if by_machine else offsets.commit(world, command)


def settle(world: PairWorld, command: Command) -> Iterator[str]:
    command.expect(0)
    yield from (f"   {line}" for line in world.settle())


def coordinator(world: PairWorld, command: Command) -> Iterator[str]:
    command.expect(1)
    if command.name == "stop":
        world.is_down = True
        return
    yield from groups.coordinator(world, command)
    world.is_down = False


def state(world: PairWorld, command: Command) -> Iterator[str]:
    yield from groups.state(world, command)
    for client in world.clients.values():
        yield _tell_client(client)
        yield from (line for link in (client.to_coordinator, client.from_coordinator) for line in _tell_link(link))


def _tell_client(client: Client) -> str:
    if client.member is None:
        return f"   {client.name} is down"
    member = client.member
    phase = "" if member.phase is Phase.IDLE else f" {member.phase.value}"
    owned = format_partitions(member.owned)
    return f"   {client.name} is {member.status.value}{phase} epoch={member.member_epoch} owns={owned}"


def _tell_link(link: Link) -> Iterator[str]:
    if link.messages:
        yield f"   {link.name} carries {' '.join(message.kind.value for message in link.messages)}"


def hold(world: PairWorld, command: Command) -> Iterator[str]:
    for link in _links(world, command):
        link.held = True
    yield from ()


def release(world: PairWorld, command: Command) -> Iterator[str]:
    for link in _links(world, command):
        link.held = False
    yield from ()


def deliver(world: PairWorld, command: Command) -> Iterator[str]:
    yield from world.deliver(_link(world, command), _kind(command))


def drop(world: PairWorld, command: Command) -> Iterator[str]:
    link, message = _link(world, command), _message(world, command)
    link.messages.remove(message)
    client = world.clients[command.name.replace(COORDINATOR, "").replace("->", "")]
    yield from world.lose(client, message)


def duplicate(world: PairWorld, command: Command) -> Iterator[str]:
    link, message = _link(world, command), _message(world, command)
    link.messages.insert(link.messages.index(message), message)
    yield from ()


def delay(world: PairWorld, command: Command) -> Iterator[str]:
    link, message = _link(world, command), _message(world, command)
    link.messages.remove(message)
    link.messages.append(message)
    yield from ()


def _message(world: PairWorld, command: Command) -> Message:
    message = _link(world, command).first(_kind(command))
    if message is None:
        raise command.error(f"nothing is under way on {command.name}")
    return message


def _links(world: PairWorld, command: Command) -> list[Link]:
    command.expect(range(1, 100))
    return [_link(world, command, name) for name in command.words]


def _link(world: PairWorld, command: Command, name: str | None = None) -> Link:
    links, wanted = {link.name: link for link in world.links()}, name or command.name
    if wanted not in links:
        raise command.error(f"there is no link {wanted}; there are {', '.join(links) or 'none'}")
    return links[wanted]


def _kind(command: Command) -> Kind | None:
    command.expect(range(1, 3))
    if len(command.words) == 1:
        return None
    kinds = {kind.value: kind for kind in Kind}
    if command.words[1] not in kinds:
        raise command.error(f"a message is a {' or a '.join(kinds)}")
    return kinds[command.words[1]]
