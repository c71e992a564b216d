"""What the applications of members do, by whatever protocol their members are in a group."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Protocol, TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership import events as ev
from kafka_nextgen.types import LeaveMode
from tests.verification.scenario_language.client import NEVER, Task
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import parse_duration

_TASKS = {task.value: task for task in Task}

#: What an application can tell its member.
Said = ev.Subscribed | ev.Unsubscribed | ev.Polled | ev.Closed | ev.TimePassed | ev.AssignorsAsked


class Application(Protocol):
    """What a client is here."""

    subscription: ev.Subscribed | None
    silent_until: float
    slow: set[Task]

    @property
    def tasks(self) -> frozenset[Task]:
        """What it can be slow in."""


M = TypeVar("M")
C = TypeVar("C", bound=Application)


class Populated(Protocol[M]):
    """A world with clients of whatever kind."""

    clients: dict[str, M]


class Inhabited(Protocol[C]):
    """A world with clients."""

    clients: dict[str, C]

    @property
    def now(self) -> float:
        """What time it is, in seconds."""

    def feed(self, client: C, event: Said) -> Iterator[str]:
        """Let something happen to a client."""


def member_of(world: Populated[M], command: Command, name: str | None = None) -> M:
    """The client a command is about, or one of several. Raises ``ScenarioError`` if there is none."""
    wanted = name or command.name
    if wanted not in world.clients:
        raise command.error(f"there is no member {wanted}")
    return world.clients[wanted]


def subscribe(world: Inhabited[C], command: Command) -> Iterator[str]:
    command.expect(range(1, 100), "pattern")
    client = member_of(world, command)
    client.subscription = ev.Subscribed(frozenset(command.words[1:]), command.options.get("pattern"))
    yield from world.feed(client, client.subscription)


def unsubscribe(world: Inhabited[C], command: Command) -> Iterator[str]:
    command.expect(1)
    member_of(world, command).subscription = None
    yield from world.feed(member_of(world, command), ev.Unsubscribed())


def poll(world: Inhabited[C], command: Command) -> Iterator[str]:
    command.expect(1)
    client = member_of(world, command)
    client.silent_until = NEVER
    yield from world.feed(client, ev.Polled())


def pause_poll(world: Inhabited[C], command: Command) -> Iterator[str]:
    command.expect(range(1, 100), "duration")
    duration_s = parse_duration(command.options["duration"]) if command.options else float("inf")
    for name in command.words:
        member_of(world, command, name).silent_until = world.now + duration_s
    yield from ()


def wake(world: Inhabited[C], command: Command) -> Iterator[str]:
    command.expect(1)
    yield from world.feed(member_of(world, command), ev.TimePassed())


def close(world: Inhabited[C], command: Command) -> Iterator[str]:
    command.expect(1, "leave")
    modes = {mode.value: mode for mode in LeaveMode}
    leave = command.options.get("leave", "default")
    if leave not in modes:
        raise command.error(f"leave is {', '.join(modes)}")
    yield from world.feed(member_of(world, command), ev.Closed(modes[leave]))


def slow(world: Inhabited[C], command: Command) -> Iterator[str]:
    """Leave tasks to ``answer``."""
    for client, tasks in _clients_and_tasks(world, command):
        client.slow |= tasks
    yield from ()


def quick(world: Inhabited[C], command: Command) -> Iterator[str]:
    for client, tasks in _clients_and_tasks(world, command):
        client.slow -= tasks
    yield from ()


def _clients_and_tasks(world: Inhabited[C], command: Command) -> Iterator[tuple[C, set[Task]]]:
    command.expect(range(2, 100))
    names = list(takewhile(world.clients.__contains__, command.words))
    for client in [member_of(world, command, name) for name in names or [command.name]]:
        yield client, {task(command, word, client.tasks) for word in command.words[len(names) :]}


def task(command: Command, word: str, tasks: frozenset[Task]) -> Task:
    """The task of that name. Raises ``ScenarioError`` if it is none of ``tasks``."""
    if _TASKS.get(word) not in tasks:
        raise command.error(f"a task is {', '.join(name for name, each in _TASKS.items() if each in tasks)}")
    return _TASKS[word]


def code_in(command: Command) -> ErrorCode:
    """The error code that is the option ``error``. Raises ``ScenarioError`` if there is none."""
    name = command.options.get("error", "")
    if name not in ErrorCode.__members__:
        raise command.error(f"there is no error code {name}")
    return ErrorCode[name]
