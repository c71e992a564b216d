"""Assignors of the application's own, in members of the consumer group protocol (``group.local.assignors``).

member A local=mine old said=v1:heavy/0-1
                                     a client that has these, and what each of them says to its peers
say A mine v2:light/r3/0-2           what one has to say from now on
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.assignors.spec import ClientAssignor
from kafka_nextgen.assignors.user_data import MemberWord
from kafka_nextgen.membership.events import AssignorsAsked
from kafka_nextgen.scenarios.assignor_words import parse_member_word
from kafka_nextgen.scenarios.client import Client
from kafka_nextgen.scenarios.grammar import Command
from kafka_nextgen.scenarios.pair import PairWorld
from kafka_nextgen.scenarios.verbs.applications import member_of

__all__ = ["ask", "say", "words_in"]


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
        yield from world.feed(client, AssignorsAsked(tuple(_offer(*item) for item in client.words.items())))


def _offer(name: str, word: MemberWord) -> ClientAssignor:
    return ClientAssignor(name, word.minimum_version, word.maximum_version, word.said.reason, word.said.metadata)
