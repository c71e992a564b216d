"""Members with a machine of their own, as their applications use them.

member A instance=one commit=auto    a client that runs; options are those of its configuration
subscribe A foo bar                  or pattern=foo-.*
unsubscribe A
poll A                               and go on polling
pause-poll A 5m                      for that long, or until the next poll; so does no callback start
position A foo[0]=5                  the application has processed up to there
close A leave=remain
crash A                              without a word
restart A                            under another member id, with the same subscription
"""

from __future__ import annotations

from collections.abc import Iterator

from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.settings import MemberSettings
from kafka_nextgen.scenarios.client import NEVER, Client
from kafka_nextgen.scenarios.grammar import Command
from kafka_nextgen.scenarios.notation import parse_duration, parse_offset
from kafka_nextgen.scenarios.pair import PairWorld
from kafka_nextgen.scenarios.world import GROUP
from kafka_nextgen.types import LeaveMode

__all__ = [
    "client_of",
    "close",
    "crash",
    "member",
    "pause_poll",
    "poll",
    "position",
    "restart",
    "subscribe",
    "unsubscribe",
    "wake",
]

_DURATIONS = {
    "max_poll_interval": "max_poll_interval_s",
    "retry_backoff": "retry_backoff_s",
    "retry_backoff_max": "retry_backoff_max_s",
    "instance_id_retry": "instance_id_retry_timeout_s",
    "leave_timeout": "leave_timeout_s",
}
_NAMES = {"instance": "instance_id", "rack": "rack_id", "assignor": "server_assignor"}


def client_of(world: PairWorld, command: Command, name: str | None = None) -> Client:
    """The client a command is about, or one of several. Raises ``ScenarioError`` if there is none."""
    wanted = name or command.name
    if wanted not in world.clients:
        raise command.error(f"there is no member {wanted}")
    return world.clients[wanted]


def member(world: PairWorld, command: Command) -> Iterator[str]:
    """Start a client, or several alike."""
    command.expect(range(1, 100), *_DURATIONS, *_NAMES, "commit", "timeout")
    for name in command.words:
        if name in world.clients:
            raise command.error(f"there is a member {name}: restart it")
        world.clients[name] = Client.make(name, _settings(command))
    yield from ()


def _settings(command: Command) -> MemberSettings:
    options = command.options
    given: dict[str, object] = {_NAMES[key]: value for key, value in options.items() if key in _NAMES}
    given |= {_DURATIONS[key]: parse_duration(value) for key, value in options.items() if key in _DURATIONS}
    if options.get("commit", "manual") not in ("auto", "manual"):
        raise command.error("commit is auto or manual")
    given["auto_commit"] = options.get("commit") == "auto"
    if "timeout" in options:
        given["rebalance_timeout_ms"] = round(1000 * parse_duration(options["timeout"]))
    return MemberSettings(GROUP, **given)  # type: ignore[arg-type]  # each was parsed for its own field


def subscribe(world: PairWorld, command: Command) -> Iterator[str]:
    """Subscribe to topics, or to a pattern."""
    command.expect(range(1, 100), "pattern")
    client = client_of(world, command)
    client.subscription = ev.Subscribed(frozenset(command.words[1:]), command.options.get("pattern"))
    yield from world.feed(client, client.subscription)


def unsubscribe(world: PairWorld, command: Command) -> Iterator[str]:
    """Give the subscription up."""
    command.expect(1)
    client_of(world, command).subscription = None
    yield from world.feed(client_of(world, command), ev.Unsubscribed())


def poll(world: PairWorld, command: Command) -> Iterator[str]:
    """Poll now, and from now on."""
    command.expect(1)
    client = client_of(world, command)
    client.silent_until = NEVER
    yield from world.feed(client, ev.Polled())


def pause_poll(world: PairWorld, command: Command) -> Iterator[str]:
    """Stop polling."""
    command.expect(range(1, 100), "duration")
    duration_s = parse_duration(command.options["duration"]) if command.options else float("inf")
    for name in command.words:
        client_of(world, command, name).silent_until = world.host.now + duration_s
    yield from ()


def wake(world: PairWorld, command: Command) -> Iterator[str]:
    """Tell the member that time passed."""
    command.expect(1)
    yield from world.feed(client_of(world, command), ev.TimePassed())


def position(world: PairWorld, command: Command) -> Iterator[str]:
    """Let the application have processed records."""
    command.expect(range(2, 100))
    client_of(world, command).positions.update(map(parse_offset, command.words[1:]))
    yield from ()


def close(world: PairWorld, command: Command) -> Iterator[str]:
    """Close the consumer."""
    command.expect(1, "leave")
    modes = {mode.value: mode for mode in LeaveMode}
    leave = command.options.get("leave", "default")
    if leave not in modes:
        raise command.error(f"leave is {', '.join(modes)}")
    yield from world.feed(client_of(world, command), ev.Closed(modes[leave]))


def crash(world: PairWorld, command: Command) -> Iterator[str]:
    """End the process."""
    command.expect(1)
    client_of(world, command).crash()
    yield from ()


def restart(world: PairWorld, command: Command) -> Iterator[str]:
    """Start the process again."""
    command.expect(1)
    client = client_of(world, command)
    if client.member is not None:
        raise command.error(f"{command.name} runs: crash it, or close it, first")
    client.start()
    if client.subscription is not None:
        yield from world.feed(client, client.subscription)
