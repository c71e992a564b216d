"""Topics. Nothing is told of them."""

from __future__ import annotations

from collections.abc import Iterator

from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.world import World


def topic(world: World, command: Command) -> Iterator[str]:
    if command.name in world.topic_ids:
        raise command.error(f"there is a topic {command.name}: grow it, or recreate it")
    _make(world, command)
    yield from ()


def recreate(world: World, command: Command) -> Iterator[str]:
    _existing(world, command)
    world.delete_topic(command.name)
    _make(world, command)
    yield from ()


def grow(world: World, command: Command) -> Iterator[str]:
    world.grow_topic(_existing(world, command), _partitions(command))
    yield from ()


def delete(world: World, command: Command) -> Iterator[str]:
    command.expect(1)
    name = _existing(world, command)
    world.delete_topic(name)
    del world.topic_ids[name]
    yield from ()


def _make(world: World, command: Command) -> None:
    topic_id = world.make_topic(command.name, _partitions(command))
    world.topic_ids[command.name] = topic_id
    world.topic_names[topic_id] = command.name


def _existing(world: World, command: Command) -> str:
    if command.name not in world.topic_ids:
        raise command.error(f"there is no topic {command.name}")
    return command.name


def _partitions(command: Command) -> int:
    command.expect(2)
    if not command.words[1].isdigit():
        raise command.error(f"{command.words[1]!r} is no number of partitions")
    return int(command.words[1])
