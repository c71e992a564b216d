"""The commands of the cluster world; ``world`` has the list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.membership.events import Subscribed
from tests.scenario_language import Player, Scenario
from tests.scenario_language.grammar import Command
from tests.scenario_language.notation import parse_duration
from tests.simulation import settling
from tests.simulation.applications import Application
from tests.simulation.dice import Fault
from tests.simulation.mishaps import MISHAPS
from tests.simulation.stories.actions import PLAIN
from tests.simulation.stories.drawn import DRAWN
from tests.simulation.stories.lines import TellingJudge
from tests.simulation.stories.node_verbs import OF_NODES
from tests.simulation.stories.seams import word_of
from tests.simulation.stories.stage import wish
from tests.simulation.stories.world import PLAIN_SETTINGS, ClusterWorld, Verb, telling

__all__ = ["CLUSTER", "cluster_player"]


def settings(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Configure coordinators and clients."""
    command.expect(0, "request_timeout", *PLAIN_SETTINGS)
    if world.has_begun:
        raise command.error("settings come before anything else")
    world.configure(dict(command.options))
    yield from ()


# ---- topics


def topic(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Make a topic."""
    command.expect(2)
    if command.name in world.begin().cluster.topics:
        raise command.error(f"there is a topic {command.name}: grow it, or recreate it")
    world.stage.cluster.set_topic(command.name, int(command.words[1]), anew=True)
    yield from ()


def recreate(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Delete a topic and make another one under its name."""
    command.expect(2)
    world.stage.cluster.set_topic(_existing(world, command), int(command.words[1]), anew=True)
    yield from ()


def grow(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Give a topic more partitions; the number is of all of them."""
    command.expect(2)
    world.stage.cluster.set_topic(_existing(world, command), int(command.words[1]))
    yield from ()


def delete(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Delete a topic."""
    command.expect(1)
    world.stage.cluster.delete_topic(_existing(world, command))
    yield from ()


def _existing(world: ClusterWorld, command: Command) -> str:
    if command.name not in world.begin().cluster.topics:
        raise command.error(f"there is no topic {command.name}")
    return command.name


# ---- clients

_TIMES = {"processing": "processing_s", "commit_timeout": "commit_timeout_s"}
_SHARES = {"commits_waiting": "commits_waiting", "commits_beside": "commits_beside"}
_OF_A_LIFE = ("topics", "pattern", "instance", "protocol", "assignors", "interval", "rate", "first_poll")


def member(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Begin the first life of a client."""
    command.expect(1, "records", *_TIMES, *_SHARES, *_OF_A_LIFE)
    options = command.options
    given: dict[str, Any] = {_TIMES[key]: parse_duration(options[key]) for key in _TIMES if key in options}
    given |= {_SHARES[key]: float(options[key]) for key in _SHARES if key in options}
    world.begin()._habits[command.name] = evolve(PLAIN, records=int(options.get("records", 1)), **given)
    yield from _begin(world, command)


def restart(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Begin another life of a client."""
    command.expect(1, *_OF_A_LIFE)
    if command.name not in world.stage.lives:
        raise command.error(f"there was no member {command.name}")
    yield from _begin(world, command)


def _begin(world: ClusterWorld, command: Command) -> Iterator[str]:
    options, stage = command.options, world.stage
    habits = stage._habits[command.name]
    stage._habits[command.name] = evolve(habits, is_static="instance" in options)
    stage.casting.spoken[command.name] = options.get("protocol") == "classic"
    stage.casting.strategies = tuple(options.get("assignors", "").split())
    subscribed = f"pattern={options['pattern']}" if "pattern" in options else options.get("topics", "t0")
    now: dict[str, Any] = {"start__pick": wish(subscribed)}
    now["_client__pick"] = parse_duration(options["interval"]) if "interval" in options else None
    if "rate" in options:
        now[f"_client__{word_of(Fault.CLOCK_DRIFT)}"] = now["_client__between"] = float(options["rate"])
    if "first_poll" in options:
        now["start__between"] = parse_duration(options["first_poll"])
    with world.saying(**now):
        stage.begin(command.name)
    yield from ()


def _application(world: ClusterWorld, command: Command) -> Application:
    found = world.stage.called(command.name)
    if found is None:
        raise command.error(f"there is no member {command.name}")
    return found


def crash(world: ClusterWorld, command: Command) -> Iterator[str]:
    """End a client without a word."""
    command.expect(1)
    world.stage.end(_application(world, command))
    yield from ()


def freeze(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Let a client do nothing for so long."""
    command.expect(2)
    _application(world, command).client.time.freeze(parse_duration(command.words[1]))
    yield from ()


def mishap(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Let something happen to a client, by its name among the faults."""
    command.expect(range(2, 4))
    bring = {word_of(fault): each for fault, each in MISHAPS.items()}.get(command.words[1])
    if bring is None:
        raise command.error(f"a mishap is {', '.join(map(word_of, MISHAPS))}")
    application = _application(world, command)
    now = {"mishap": command.words[2]} if command.words[2:] else {}
    with world.saying(**now) as stage:
        bring[1](stage, application, stage.troubles.dice)
    yield from ()


def hang(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Let the next callback of a client never end."""
    command.expect(1)
    _application(world, command).gets_stuck = True
    yield from ()


def subscribe(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Let an application subscribe to something else."""
    command.expect(range(1, 100), "pattern")
    _application(world, command).subscribe(_wish(command))
    yield from ()


def _wish(command: Command) -> Subscribed:
    options = command.options
    return wish(f"pattern={options['pattern']}" if "pattern" in options else " ".join(command.words[1:]))


def unsubscribe(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Let an application give its subscription up; before long it subscribes again."""
    command.expect(1)
    _application(world, command).unsubscribe()
    yield from ()


def close(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Let an application close its consumer."""
    command.expect(1)
    _application(world, command).close()
    yield from ()


# ---- chance, and time


def following(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Say how a decision goes that is to come."""
    command.expect(range(2, 100), "nth", "pattern")
    owner, word, *value = command.words
    said = f"pattern={command.options['pattern']}" if "pattern" in command.options else " ".join(value)
    world.stage.script.say(owner, word, said, int(command.options.get("nth", 1)))
    yield from ()


def heal(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Let nothing go wrong any more."""
    command.expect(0)
    world.stage.troubles.heal()
    yield from ()


def settle(world: ClusterWorld, command: Command) -> Iterator[str]:
    """See whether the group settles, and stays so."""
    command.expect(0)
    settling.settle(world.stage)
    yield from ()


def tick(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Let time pass."""
    command.expect(1)
    stage = world.begin()
    stage.run_until(stage.timeline.now + parse_duration(command.name))
    yield from ()


#: What can be commanded there.
CLUSTER: Mapping[str, Verb] = {
    "settings": settings,
    "topic": topic,
    "recreate": recreate,
    "grow": grow,
    "delete": delete,
    "member": member,
    "restart": restart,
    "crash": crash,
    "freeze": freeze,
    "hang": hang,
    "mishap": mishap,
    "subscribe": subscribe,
    "unsubscribe": unsubscribe,
    "close": close,
    "next": following,
    "heal": heal,
    "settle": settle,
    "tick": tick,
    **OF_NODES,
    **DRAWN,
}


def cluster_player(_scenario: Scenario | None = None, *, tells: bool = True) -> Player[ClusterWorld]:
    """A world of its own."""
    world = ClusterWorld(TellingJudge() if tells else None)
    return Player(world, {name: telling(verb) for name, verb in CLUSTER.items()})
