"""Faults on a link, ``A->coordinator`` or ``coordinator->A``.

hold L         nothing moves along it by itself
release L      it does again
deliver L      the oldest message arrives, even if held; ``deliver L commit`` picks the oldest of a kind
drop L         the oldest message is lost; over TCP that takes the connection with it, so the asker knows
duplicate L    the oldest message will arrive twice
delay L        the oldest message is overtaken by all others
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.scenario_language.grammar import Command
from tests.scenario_language.network import COORDINATOR, Kind, Link, Message
from tests.scenario_language.pair import PairWorld

__all__ = ["delay", "deliver", "drop", "duplicate", "hold", "release"]


def hold(world: PairWorld, command: Command) -> Iterator[str]:
    """Let messages wait."""
    for link in _links(world, command):
        link.held = True
    yield from ()


def release(world: PairWorld, command: Command) -> Iterator[str]:
    """Let messages move again."""
    for link in _links(world, command):
        link.held = False
    yield from ()


def deliver(world: PairWorld, command: Command) -> Iterator[str]:
    """Deliver one message."""
    yield from world.deliver(_link(world, command), _kind(command))


def drop(world: PairWorld, command: Command) -> Iterator[str]:
    """Lose one message."""
    link, message = _link(world, command), _message(world, command)
    link.messages.remove(message)
    client = world.clients[command.name.replace(COORDINATOR, "").replace("->", "")]
    yield from world.lose(client, message)


def duplicate(world: PairWorld, command: Command) -> Iterator[str]:
    """Send one message twice."""
    link, message = _link(world, command), _message(world, command)
    link.messages.insert(link.messages.index(message), message)
    yield from ()


def delay(world: PairWorld, command: Command) -> Iterator[str]:
    """Let one message be overtaken."""
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
