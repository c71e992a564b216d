"""Assignors that an application brings to a classic group (``group.local.assignors``).

member A protocol=classic assignors=mine local=mine said=v1:heavy/0-1
                                     a client that brings it, and what it says to it at first
say A mine v2:light/r3/0-2           what it has to say from now on; with late=1s its driver was that long at something
                                     else, and comes to what is due only now
peer B topics=foo said=v1:heavy      another member's word, or one with foreign=...
computed A A=foo[0]!v1:light B=foo[1] error=2
                                     the assignor that A runs comes to this; it says something to A, and an error
answer A assignor                    it comes to what the uniform assignor would
answer A assignor error=...          it raises
answer A sync assignment=foo[0] word=v1:light/e2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafka_nextgen.assignors import GroupAssignment, MemberAssignment
from kafka_nextgen.membership.events import AssignorsAsked
from kafka_nextgen.types import TopicId
from tests.scenario_language.assignor_words import client_assignor, parse_assignor_word, parse_member_word
from tests.scenario_language.grammar import Command
from tests.scenario_language.notation import parse_duration, parse_partitions
from tests.scenario_language.scripted.assignor import Made
from tests.scenario_language.scripted.client import ScriptedClient
from tests.scenario_language.scripted.world import ScriptedWorld
from tests.scenario_language.verbs.applications import member_of
from tests.scenario_language.verbs.classic_requests import parts_of

__all__ = ["computed", "say", "say_at_first"]


def say_at_first(world: ScriptedWorld, client: ScriptedClient, command: Command) -> None:
    """Let a client that begins say something to its assignors."""
    if client.settings.local_assignors:
        word = parse_member_word(command.options.get("said", "v0"))
        client.words = dict.fromkeys(client.settings.local_assignors, word)
        list(world.feed(client, _asked(client)))


def say(world: ScriptedWorld, command: Command) -> Iterator[str]:
    """Let a client say something else."""
    command.expect(3, "late")
    world.now += parse_duration(command.options.get("late", "0s"))
    client, name = member_of(world, command), command.words[1]
    if name not in client.words:
        raise command.error(f"{client.name} brings no assignor {name}")
    client.words[name] = parse_member_word(command.words[2], client.words[name])
    yield from world.feed(client, _asked(client))


def _asked(client: ScriptedClient) -> AssignorsAsked:
    return AssignorsAsked(tuple(client_assignor(name, word) for name, word in client.words.items()))


def computed(world: ScriptedWorld, command: Command) -> Iterator[str]:
    """End the computation as the scenario wants it."""
    command.expect(range(1, 100), "error")
    client = member_of(world, command)
    if client.run is None:
        raise command.error(f"{client.name} runs no assignor")
    ids = {topic.name: topic_id for topic_id, topic in client.run.group.topics.items()}
    members = {name: _share(part, ids) for name, part in parts_of(command)}
    assignment = GroupAssignment(members, int(command.options.get("error", 0)))
    yield from world.driver.end_run(client, Made(assignment), world.now)


def _share(part: str, ids: Mapping[str, TopicId]) -> MemberAssignment:
    partitions, _, word = part.partition("!")
    share: dict[TopicId, set[int]] = {}
    for tp in parse_partitions(partitions):
        share.setdefault(ids.get(tp.topic, TopicId(int=0)), set()).add(tp.partition)
    return MemberAssignment(share, parse_assignor_word(word).metadata if word else None)
