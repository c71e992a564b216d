"""Members of the consumer group protocol with a machine of their own; ``applications`` has what they are told."""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.membership.events import StandbyStateChanged
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.types import JoinReason, StandbyState
from tests.verification.scenario_language.client import Client
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import parse_duration
from tests.verification.scenario_language.pair import PairWorld
from tests.verification.scenario_language.verbs import desks, own_assignors
from tests.verification.scenario_language.verbs.applications import member_of
from tests.verification.scenario_language.world import GROUP

_DURATIONS = {
    "max_poll_interval": "max_poll_interval_s",
    "retry_backoff": "retry_backoff_s",
    "retry_backoff_max": "retry_backoff_max_s",
    "instance_id_retry": "instance_id_retry_timeout_s",
    "leave_timeout": "leave_timeout_s",
}
_NAMES = {"instance": "instance_id", "rack": "rack_id", "assignor": "server_assignor"}


def member(world: PairWorld, command: Command) -> Iterator[str]:
    command.expect(range(1, 100), *_DURATIONS, *_NAMES, "commit", "interval", "timeout", "local", "said", "states")
    for name in command.words:
        if name in world.clients:
            raise command.error(f"there is a member {name}: restart it")
        words = own_assignors.words_in(command)
        client = Client.make(name, _settings(command), desks.settings(command), world.now, words)
        world.clients[name] = client
        yield from own_assignors.ask(world, client)


def _settings(command: Command) -> MemberSettings:
    options = command.options
    given: dict[str, object] = {_NAMES[key]: value for key, value in options.items() if key in _NAMES}
    given |= {_DURATIONS[key]: parse_duration(value) for key, value in options.items() if key in _DURATIONS}
    if options.get("commit", "manual") not in ("auto", "manual"):
        raise command.error("commit is auto or manual")
    given["join_reason"] = JoinReason[options.get("states", "unknown").upper()]
    given["auto_commit"] = options.get("commit") == "auto"
    if "timeout" in options:
        given["rebalance_timeout_ms"] = round(1000 * parse_duration(options["timeout"]))
    return MemberSettings(GROUP, **given)  # type: ignore[arg-type]  # each was parsed for its own field


def standby(world: PairWorld, command: Command) -> Iterator[str]:
    """Its application begins to load what it needs as a standby, or is done."""
    command.expect(2)
    yield from world.feed(member_of(world, command), StandbyStateChanged(StandbyState[command.words[1].upper()]))


def crash(world: PairWorld, command: Command) -> Iterator[str]:
    command.expect(1)
    member_of(world, command).crash()
    yield from ()


def restart(world: PairWorld, command: Command) -> Iterator[str]:
    command.expect(1)
    client = member_of(world, command)
    if client.member is not None:
        raise command.error(f"{command.name} runs: crash it, or close it, first")
    client.start(world.now)
    yield from own_assignors.ask(world, client)
    if client.subscription is not None:
        yield from world.feed(client, client.subscription)
