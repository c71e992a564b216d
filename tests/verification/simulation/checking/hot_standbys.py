"""What must hold of groups whose classic members use ``HotStandby``: a model of its own.

| rule | when it is looked at |
|---|---|
| a leader keeps as many members active as there are to be, or all if there are fewer; more only for other topics \
| when a SyncGroup is sent |
| each topic that a member wants has an active member that wants it | the same |
| a member that has partitions does not stand by while one that has none is active in its place | the same |
| the others have nothing, places from 1 on, and may get all partitions of their topics, and no other | the same |
| a member that stands by works on nothing, and is in the group | after each step of a member |
| a member at rest knows the place that the leader gave it, or that it has none, and what it may get | the same |
| an application is told what its member may get, and not after that has changed | when ``on_standby`` is called |
| each member's place is that of the generation in force, and its application has been told | after all healed |

An assignor that fails gives no places: the members are as they were before, until the next generation.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from attrs import define, frozen

from kafka_nextgen.assignors.standby_metadata import HOT_STANDBY
from kafka_nextgen.assignors.user_data import read_assignor_word
from kafka_nextgen.groups.consumer_protocol import user_data_of
from kafka_nextgen.membership.classic import effects as cfx
from kafka_nextgen.membership.classic import events as cev
from kafka_nextgen.membership.classic.events import JoinedMember
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.testing.coordinator.classic.group import ClassicStatus
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.types import TopicPartition, format_partitions
from tests.verification.scenario_language.watching import NOTHING, Partitions
from tests.verification.simulation.assignors import Reserving
from tests.verification.simulation.classic_clients import ClassicClient
from tests.verification.simulation.clients import Client


@frozen
class Place:
    """What a leader says to a member; 0 to those that do not stand by."""

    number: int = 0
    may_get: Partitions = NOTHING


_NONE = Place()


def place_in(strategy: str | None, user_data: bytes | None) -> Place | None:
    """The place that an assignment has; None if the assignor failed."""
    word = read_assignor_word(user_data)
    if word.failure is not None:
        return None
    if strategy != HOT_STANDBY or word.metadata is None or word.metadata.version != 0:
        return _NONE
    said = json.loads(word.metadata.payload)
    may_get = (TopicPartition(topic, number) for topic, numbers in said["may_get"].items() for number in numbers)
    return Place(said["place"], frozenset(may_get))


@define
class HotStandbys:
    """One life of a classic client."""

    client: ClassicClient
    given: Place | None = _NONE  # in the generation that it has synced in last

    def wanted(self, effect: object) -> Iterator[str]:
        """The member wants something done."""
        if isinstance(effect, cfx.SendSyncGroup) and effect.strategy == HOT_STANDBY and effect.assignments:
            yield from self._assigns(effect.assignments)

    def _assigns(self, parts: Iterable[cfx.MemberPart]) -> Iterator[str]:
        state = self.client.member.state
        size = next(each.target_size for each in self.client.assignors if isinstance(each, Reserving))
        places = {part.member_id: place_in(HOT_STANDBY, part.user_data) for part in parts}
        given = {member_id: place for member_id, place in places.items() if place is not None}
        if len(given) < len(places):
            return
        roster = {each.member_id: each for each in state.roster}
        topics = {name: topic.num_partitions for name, topic in (state.watched or {}).items()}
        yield from _active(roster, given, topics, size)
        yield from _standbys(roster, given, topics)
        for part in parts:
            if given[part.member_id].number and part.partitions:
                yield f"{part.member_id} is to stand by, and is assigned {format_partitions(part.partitions)}"

    def heard(self, answer: object) -> None:
        if isinstance(answer, cev.SyncAnswered) and answer.number == self.client.member.state.request:
            self.given = place_in(self.client.member.state.strategy, answer.user_data)

    def stepped(self, working_on: Partitions) -> Iterator[str]:
        """The member has carried out an event."""
        known, state = _known(self.client), self.client.member.state
        if known.number and working_on:
            yield f"stands by, and works on {format_partitions(working_on)}"
        if known.number and state.generation < 0:
            yield "stands by, and is in no group"
        is_at_rest = state.status is Status.STABLE and state.phase is Phase.IDLE and not state.must_rejoin
        if is_at_rest and self.given is not None and known != self.given:
            yield _differs(known, self.given)

    def told(self, partitions: Iterable[TopicPartition]) -> Iterator[str]:
        """``on_standby`` is called."""
        known = _known(self.client)
        if not known.number or known.may_get != frozenset(partitions):
            yield f"is told that it may get {format_partitions(partitions)}, in place {known.number}"


def _known(client: ClassicClient) -> Place:
    standing_by = client.standing_by
    return _NONE if standing_by is None else Place(standing_by.standby.place, frozenset(standing_by.standby.may_get))


def _differs(known: Place, given: Place) -> str:
    return (
        f"knows of place {known.number} and {format_partitions(known.may_get)}, "
        f"and was given place {given.number} and {format_partitions(given.may_get)}"
    )


def _active(
    roster: Mapping[str, JoinedMember], given: Mapping[str, Place], topics: Mapping[str, int], size: int
) -> Iterator[str]:
    active = [member_id for member_id, place in given.items() if not place.number]
    if len(active) < min(size, len(given)):
        yield f"{len(active)} members are active by their leader, and are to be {size}"
    wanted = {member_id: roster[member_id].subscription.topics for member_id in given}
    covered = frozenset[str]().union(*(wanted[member_id] for member_id in active))
    left_out = (frozenset[str]().union(*wanted.values()) - covered) & topics.keys()
    if left_out:
        yield f"no active member wants {sorted(left_out)}"
    claims = Counter(partition for each in roster.values() for partition in each.subscription.owned)
    had = {
        member_id: [tp for tp in roster[member_id].subscription.owned if tp.topic in topics and claims[tp] == 1]
        for member_id in given
    }
    may_have_had = [member_id for member_id in active if roster[member_id].subscription.owned]
    for member_id, place in given.items():
        if place.number and had[member_id] and len(may_have_had) < size:
            yield f"{member_id} has partitions and is to stand by, and others that have none are active"
    if len(active) > max(size, 1) and all(wanted[each] == covered for each in active):
        yield f"{len(active)} members are active by their leader, of the same topics, and are to be {size}"


def _standbys(
    roster: Mapping[str, JoinedMember], given: Mapping[str, Place], topics: Mapping[str, int]
) -> Iterator[str]:
    numbers = sorted(place.number for place in given.values() if place.number)
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"the places of standbys are {numbers}"
    for member_id, place in given.items():
        wanted = roster[member_id].subscription.topics & topics.keys()
        all_of_them = {TopicPartition(name, number) for name in wanted for number in range(topics[name])}
        if place.number and place.may_get != all_of_them:
            may_get, has = format_partitions(place.may_get), format_partitions(all_of_them)
            yield f"{member_id} stands by for {may_get}, and its topics have {has}"


def settled(group: Group, clients: Iterable[Client]) -> Iterator[str]:
    """What is wrong with the places of these members of a group long after the last fault."""
    classic = group.classic
    if classic is not None and not classic.is_in(ClassicStatus.STABLE):
        return
    members = {} if classic is None else classic.members
    for client in clients:
        if not isinstance(client, ClassicClient) or client.standing_by is None:
            continue
        member = members.get(client.member_id)
        user_data = user_data_of(member.assignment) if member is not None and member.assignment else None
        given = place_in(None if classic is None else classic.protocol, user_data)
        known = _known(client)
        if given is None or known != given:
            yield f"{client.name} {_differs(known, given or _NONE)} after all healed"
        elif known.number and client.standing_by.listens and frozenset(client.standing_by.told or ()) != known.may_get:
            yield f"{client.name} stands by, and its application has yet to hear for what after all healed"
