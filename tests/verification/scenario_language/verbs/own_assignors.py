"""Assignors that applications bring (``group.local.assignors``), by whatever protocol their members are in a group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

from attrs import evolve

from kafka_nextgen.assignors import GroupAssignment, MemberAssignment, UniformAssignor
from kafka_nextgen.assignors.user_data import MemberWord
from kafka_nextgen.groups.topic_partitions import TopicPartitions, to_topic_partitions
from kafka_nextgen.membership.events import AssignorsAsked
from kafka_nextgen.types import TopicId, TopicIdPartition
from tests.verification.scenario_language.assignor_words import client_assignor, parse_assignor_word, parse_member_word
from tests.verification.scenario_language.assignors import Made, Raised
from tests.verification.scenario_language.client import Client
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import parse_duration, parse_partitions
from tests.verification.scenario_language.pair import PairWorld
from tests.verification.scenario_language.scripted.world import ScriptedWorld
from tests.verification.scenario_language.verbs.applications import Application, Inhabited, member_of
from tests.verification.scenario_language.verbs.classic_requests import parts_of


class Speaker(Application, Protocol):
    """What a client is here."""

    name: str
    words: dict[str, MemberWord]


S = TypeVar("S", bound=Speaker)


def words_in(command: Command) -> dict[str, MemberWord]:
    """What the assignors of a client that begins say."""
    names = command.options.get("local", "").split()
    return dict.fromkeys(names, parse_member_word(command.options.get("said", "v0")))


def ask(world: Inhabited[S], client: S) -> Iterator[str]:
    """Let the member know what its assignors say."""
    if client.words:
        said = tuple(client_assignor(name, word) for name, word in client.words.items())
        yield from world.feed(client, AssignorsAsked(said))


def say(world: Inhabited[S], command: Command) -> Iterator[str]:
    command.expect(3)
    client, name = member_of(world, command), command.words[1]
    if name not in client.words:
        raise command.error(f"{client.name} has no assignor {name}")
    client.words[name] = parse_member_word(command.words[2], client.words[name])
    yield from ask(world, client)


def say_late(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(3, "late")
    world.now += parse_duration(command.options.get("late", "0s"))
    yield from say(world, evolve(command, options={}))


def computed(world: PairWorld, command: Command) -> Iterator[str]:
    client = _computing(world, command)
    made = _made(command, lambda partitions: to_topic_partitions(world.with_ids(partitions)))
    yield from world.driver.assigning.end_run(client, made, world.now)


def computed_by_leader(world: ScriptedWorld, command: Command) -> Iterator[str]:
    client = member_of(world, command)
    if client.run is None:
        raise command.error(f"{client.name} runs no assignor")
    ids = {topic.name: topic_id for topic_id, topic in client.run.group.topics.items()}

    def share(text: str) -> TopicPartitions:
        unknown = TopicId(int=0)
        partitions = parse_partitions(text)
        return to_topic_partitions(TopicIdPartition(ids.get(tp.topic, unknown), tp.partition) for tp in partitions)

    yield from world.driver.end_run(client, _made(command, share), world.now)


def answer(world: PairWorld, client: Client, command: Command) -> Iterator[str]:
    """End the computation by itself, or let the assignor raise."""
    _computing(world, command)
    error = command.options.get("error")
    assignor = UniformAssignor() if error is None else Raised(error)
    yield from world.driver.assigning.end_run(client, assignor, world.now)


def _computing(world: PairWorld, command: Command) -> Client:
    client = member_of(world, command)
    if client.assigning.run is None:
        raise command.error(f"no assignor of {client.name} is at work")
    return client


def _made(command: Command, share: Callable[[str], TopicPartitions]) -> Made:
    command.expect(range(1, 100), "error")
    members = {name: assignment_of(part, share) for name, part in parts_of(command)}
    return Made(GroupAssignment(members, int(command.options.get("error", "0"))))


def assignment_of(part: str, share: Callable[[str], TopicPartitions]) -> MemberAssignment:
    """Read ``foo[0]!v1:light``. Raises ``NotationError``."""
    partitions, _, word = part.partition("!")
    return MemberAssignment(share(partitions or "-"), parse_assignor_word(word).metadata if word else None)
