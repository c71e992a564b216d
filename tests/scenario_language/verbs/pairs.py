"""The whole pair at once: ``settle``, ``state``, a coordinator that goes down, and commits of whatever member.

settle                   everything that can happen at this time happens; each hop is indented
coordinator stop         it is down: whatever reaches it is lost
coordinator restart      a new one reads the log
state                    what the coordinator holds, what each member is, and what waits on its links
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.membership.states import Phase
from kafka_nextgen.types import format_partitions
from tests.scenario_language.client import Client
from tests.scenario_language.grammar import Command
from tests.scenario_language.network import Link
from tests.scenario_language.pair import PairWorld
from tests.scenario_language.verbs import desks, groups, offsets

__all__ = ["commit", "coordinator", "settle", "state"]


def commit(world: PairWorld, command: Command) -> Iterator[str]:
    """Commit by the machine of a member that has one, or as it is written."""
    by_machine = command.name in world.clients
    yield from desks.commit(world, command) if by_machine else offsets.commit(world, command)


def settle(world: PairWorld, command: Command) -> Iterator[str]:
    """Go on to the fixed point."""
    command.expect(0)
    yield from (f"   {line}" for line in world.settle())


def coordinator(world: PairWorld, command: Command) -> Iterator[str]:
    """Stop the coordinator, or let a new one take over."""
    command.expect(1)
    if command.name == "stop":
        world.is_down = True
        return
    yield from groups.coordinator(world, command)
    world.is_down = False


def state(world: PairWorld, command: Command) -> Iterator[str]:
    """Tell everything."""
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
