"""Members of classic groups, and what is around them; ``applications`` has what else they are told."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.assignors.user_data import write_member_word
from kafka_nextgen.groups.consumer_protocol import NO_GENERATION, PROTOCOL_TYPE, MemberSubscription
from kafka_nextgen.membership.classic.events import (
    CommitRefused,
    DescribedPart,
    JoinAnswered,
    JoinedMember,
    RebalanceEnforced,
    SyncAnswered,
)
from kafka_nextgen.membership.classic.settings import ClassicSettings
from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.types import JoinReason, format_partitions
from tests.verification.scenario_language.assignor_words import parse_member_word
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import parse_duration, parse_partitions
from tests.verification.scenario_language.scripted.client import Kind, ScriptedClient
from tests.verification.scenario_language.scripted.world import ScriptedWorld
from tests.verification.scenario_language.verbs import desks, own_assignors
from tests.verification.scenario_language.verbs.applications import code_in, member_of
from tests.verification.scenario_language.world import GROUP

_SECONDS = {
    "max_poll_interval": "max_poll_interval_s",
    "retry_backoff": "retry_backoff_s",
    "retry_backoff_max": "retry_backoff_max_s",
    "leave_timeout": "leave_timeout_s",
    "metadata_max_age": "metadata_max_age_s",
}
_MILLISECONDS = {
    "timeout": "rebalance_timeout_ms",
    "session": "session_timeout_ms",
    "heartbeat": "heartbeat_interval_ms",
}
_NAMES = {"instance": "instance_id", "rack": "rack_id"}

#: What is to be said of a member that is in its group from the start.
_PRESENT = frozenset({"topics", "generation", "has"})


def member(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(
        range(1, 100),
        "protocol",
        "assignors",
        "local",
        "said",
        "commit",
        "interval",
        "states",
        *_PRESENT,
        *_SECONDS,
        *_MILLISECONDS,
        *_NAMES,
    )
    if command.options.get("protocol") != "classic":
        raise command.error("members of the scripted world have protocol=classic")
    for name in command.words:
        if name in world.clients:
            raise command.error(f"there is a member {name}")
        world.clients[name] = ScriptedClient.make(name, _settings(command), desks.settings(command), world.now)
        world.clients[name].words = own_assignors.words_in(command)
        list(own_assignors.ask(world, world.clients[name]))
        if not _PRESENT.isdisjoint(command.options):
            _let_in(world, world.clients[name], command)
    yield from ()


def _let_in(world: ScriptedWorld, client: ScriptedClient, command: Command) -> None:
    """Let a member go all the way into a generation, without telling of it."""
    missing = _PRESENT - command.options.keys()
    if missing:
        raise command.error(f"whoever is in a group has {', '.join(sorted(missing))}, too")
    topics = frozenset(command.options["topics"].split())
    generation, has = int(command.options["generation"]), parse_partitions(command.options["has"])
    list(world.feed(client, Subscribed(topics)))
    strategy = client.settings.strategies[0]
    joined = (client.name, generation, PROTOCOL_TYPE, strategy, "another")
    list(world.end(client, Kind.JOIN, JoinAnswered(client.requests[Kind.JOIN].number, *joined), succeeded=True))
    synced = SyncAnswered(client.requests[Kind.SYNC].number, PROTOCOL_TYPE, strategy, has)
    list(world.end(client, Kind.SYNC, synced, succeeded=True))
    list(world.driver.end_call(client, client.calls[0], None, world.now))


def _settings(command: Command) -> ClassicSettings:
    options = command.options
    given: dict[str, object] = {_NAMES[key]: value for key, value in options.items() if key in _NAMES}
    given |= {_SECONDS[key]: parse_duration(value) for key, value in options.items() if key in _SECONDS}
    in_ms = {key: round(1000 * parse_duration(value)) for key, value in options.items() if key in _MILLISECONDS}
    given |= {_MILLISECONDS[key]: value for key, value in in_ms.items()}
    if options.get("commit", "manual") not in ("auto", "manual"):
        raise command.error("commit is auto or manual")
    given["auto_commit"] = options.get("commit") == "auto"
    given["strategies"] = tuple(options.get("assignors", "range").split())
    given["join_reason"] = _stated(command)
    given["local_assignors"] = frozenset(options.get("local", "").split())
    return ClassicSettings(GROUP, **given)  # type: ignore[arg-type]  # each was parsed for its own field


def peer(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(1, "topics", "owns", "generation", "instance", "said", "foreign", "has")
    options = command.options
    said = write_member_word(parse_member_word(options["said"])) if "said" in options else None
    subscription = MemberSubscription(
        frozenset(options.get("topics", "").split()),
        parse_partitions(options.get("owns", "-")),
        int(options.get("generation", NO_GENERATION)),
        user_data=options["foreign"].encode() if "foreign" in options else said,
    )
    world.peers[command.name] = JoinedMember(command.name, options.get("instance"), subscription)
    if "has" in options:
        parts = world.parts or {}
        parts[command.name] = DescribedPart(command.name, subscription.topics, parse_partitions(options["has"]))
        world.parts = parts
    yield from ()


def rebalancing(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(0)
    world.parts = None
    yield from ()


def topic(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(2)
    world.topics[command.name] = int(command.words[1])
    yield from ()


def delete(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(1)
    if world.topics.pop(command.name, None) is None:
        raise command.error(f"there is no topic {command.name}")
    yield from ()


def enforce(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(1, "reason", "states")
    wish = RebalanceEnforced(command.options.get("reason", ""), _stated(command))
    yield from world.feed(member_of(world, command), wish)


def _stated(command: Command) -> JoinReason:
    return JoinReason[command.options.get("states", "unknown").upper()]


def commit(world: ScriptedWorld, command: Command) -> Iterator[str]:
    if len(command.words) > 1:
        yield from desks.commit(world, command)
        return
    command.expect(1, "generation", "error")
    client = member_of(world, command)
    generation = int(command.options.get("generation", client.member.member_epoch))
    yield from world.feed(client, CommitRefused(code_in(command), generation))


def tick(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(1)
    yield from world.pass_time(parse_duration(command.name))


def settle(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(0)
    yield from (f"   {line}" for line in world.settle())
    yield from (f"   {line}" for line in world.tell_kept())


def state(world: ScriptedWorld, command: Command) -> Iterator[str]:
    command.expect(0)
    yield from map(_tell_client, world.clients.values())


def _tell_client(client: ScriptedClient) -> str:
    member = client.member
    phase = "" if member.phase is Phase.IDLE else f" {member.phase.value}"
    owned = format_partitions(member.owned)
    sent = "".join(f" {kind.value} under way" for kind in client.requests)
    return f"   {client.name} is {member.status.value}{phase} generation={member.member_epoch} owns={owned}{sent}"
