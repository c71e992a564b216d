"""Assignors of the application's own, in members of the consumer group protocol (``group.local.assignors``).

member A local=mine old said=v1:heavy/0-1
                                     a client that has these, and what each of them says to its peers
say A mine v2:light/r3/0-2           what one has to say from now on
computed A A=foo[0]!v1:light B=foo[1] error=2
                                     the one that is at work comes to this; it says something to A, and an error
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.assignors import GroupAssignment, MemberAssignment, UniformAssignor
from kafka_nextgen.assignors.user_data import MemberWord
from kafka_nextgen.coordinator.topic_partitions import to_topic_partitions
from kafka_nextgen.membership.events import AssignorsAsked
from tests.scenario_language.assignor_words import client_assignor, parse_assignor_word, parse_member_word
from tests.scenario_language.client import Client
from tests.scenario_language.grammar import Command
from tests.scenario_language.pair import PairWorld
from tests.scenario_language.scripted.assignor import Made, Raised
from tests.scenario_language.verbs.applications import member_of
from tests.scenario_language.verbs.classic_requests import parts_of

__all__ = ["answer", "ask", "computed", "say", "words_in"]


def words_in(command: Command) -> dict[str, MemberWord]:
    """What the assignors of a client that begins say."""
    names = command.options.get("local", "").split()
    return dict.fromkeys(names, parse_member_word(command.options.get("said", "v0")))


def say(world: PairWorld, command: Command) -> Iterator[str]:
    """Let an assignor say something else."""
    command.expect(3)
    client, name = member_of(world, command), command.words[1]
    if name not in client.words:
        raise command.error(f"{client.name} has no assignor {name}")
    client.words[name] = parse_member_word(command.words[2], client.words[name])
    yield from ask(world, client)


def ask(world: PairWorld, client: Client) -> Iterator[str]:
    """Let the member know what its assignors say."""
    if client.words:
        said = tuple(client_assignor(name, word) for name, word in client.words.items())
        yield from world.feed(client, AssignorsAsked(said))


def computed(world: PairWorld, command: Command) -> Iterator[str]:
    """End the computation as the scenario wants it."""
    command.expect(range(1, 100), "error")
    client = _computing(world, command)
    members = {name: _assignment(world, part) for name, part in parts_of(command)}
    made = Made(GroupAssignment(members, int(command.options.get("error", "0"))))
    yield from world.driver.assigning.end_run(client, made, world.now)


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


def _assignment(world: PairWorld, part: str) -> MemberAssignment:
    partitions, _, word = part.partition("!")
    share = to_topic_partitions(world.with_ids(partitions or "-"))
    return MemberAssignment(share, parse_assignor_word(word).metadata if word else None)
