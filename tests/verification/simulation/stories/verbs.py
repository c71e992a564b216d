"""The commands of the cluster world; ``world`` has the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.membership.events import Subscribed
from tests.verification.scenario_language import Player, Scenario
from tests.verification.scenario_language.grammar import Command
from tests.verification.scenario_language.notation import parse_duration
from tests.verification.simulation import settling
from tests.verification.simulation.applications import Application
from tests.verification.simulation.cluster import Cluster
from tests.verification.simulation.dice import Fault
from tests.verification.simulation.mishaps import MISHAPS
from tests.verification.simulation.nodes import Node
from tests.verification.simulation.stories.actions import PLAIN
from tests.verification.simulation.stories.drawn import DRAWN
from tests.verification.simulation.stories.lines import TellingJudge
from tests.verification.simulation.stories.seams import word_of
from tests.verification.simulation.stories.stage import Stage, wish
from tests.verification.simulation.stories.world import PLAIN_SETTINGS, ClusterWorld, Verb, telling


def settings(world: ClusterWorld, command: Command) -> None:
    command.expect(0, "request_timeout", *PLAIN_SETTINGS)
    if world.has_begun:
        raise command.error("settings come before anything else")
    world.configure(dict(command.options))


def topic(world: ClusterWorld, command: Command) -> None:
    command.expect(2)
    if command.name in world.begin().cluster.topics:
        raise command.error(f"there is a topic {command.name}: grow it, or recreate it")
    world.stage.cluster.set_topic(command.name, int(command.words[1]), anew=True)


def recreate(world: ClusterWorld, command: Command) -> None:
    """Delete a topic and make another one under its name."""
    command.expect(2)
    world.stage.cluster.set_topic(_existing(world, command), int(command.words[1]), anew=True)


def grow(world: ClusterWorld, command: Command) -> None:
    """Give a topic more partitions; the number is of all of them."""
    command.expect(2)
    world.stage.cluster.set_topic(_existing(world, command), int(command.words[1]))


def delete(world: ClusterWorld, command: Command) -> None:
    command.expect(1)
    world.stage.cluster.delete_topic(_existing(world, command))


def _existing(world: ClusterWorld, command: Command) -> str:
    if command.name not in world.begin().cluster.topics:
        raise command.error(f"there is no topic {command.name}")
    return command.name


_TIMES = {"processing": "processing_s", "commit_timeout": "commit_timeout_s"}
_SHARES = {"commits_waiting": "commits_waiting", "commits_beside": "commits_beside"}
_OF_A_LIFE = ("topics", "pattern", "instance", "protocol", "assignors", "interval", "rate", "first_poll")


def member(world: ClusterWorld, command: Command) -> None:
    command.expect(1, "records", *_TIMES, *_SHARES, *_OF_A_LIFE)
    options = command.options
    given: dict[str, Any] = {_TIMES[key]: parse_duration(options[key]) for key in _TIMES if key in options}
    given |= {_SHARES[key]: float(options[key]) for key in _SHARES if key in options}
    world.begin()._habits[command.name] = evolve(PLAIN, records=int(options.get("records", 1)), **given)
    _begin(world, command)


def restart(world: ClusterWorld, command: Command) -> None:
    command.expect(1, *_OF_A_LIFE)
    if command.name not in world.stage.lives:
        raise command.error(f"there was no member {command.name}")
    _begin(world, command)


def _begin(world: ClusterWorld, command: Command) -> None:
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


def _application(world: ClusterWorld, command: Command) -> Application:
    found = world.stage.called(command.name)
    if found is None:
        raise command.error(f"there is no member {command.name}")
    return found


def _each(act: Callable[[Stage, Application], None]) -> Verb:
    """A command that has no words but the client it is about."""

    def verb(world: ClusterWorld, command: Command) -> None:
        command.expect(1)
        act(world.stage, _application(world, command))

    return verb


def _hang(stage: Stage, application: Application) -> None:
    application.gets_stuck = True


def freeze(world: ClusterWorld, command: Command) -> None:
    command.expect(2)
    _application(world, command).client.time.freeze(parse_duration(command.words[1]))


def mishap(world: ClusterWorld, command: Command) -> None:
    """Let something happen to a client, by its name among the faults."""
    command.expect(range(2, 4))
    bring = {word_of(fault): each for fault, each in MISHAPS.items()}.get(command.words[1])
    if bring is None:
        raise command.error(f"a mishap is {', '.join(map(word_of, MISHAPS))}")
    application = _application(world, command)
    now = {"mishap": command.words[2]} if command.words[2:] else {}
    with world.saying(**now) as stage:
        bring[1](stage, application, stage.troubles.dice)


def subscribe(world: ClusterWorld, command: Command) -> None:
    command.expect(range(1, 100), "pattern")
    _application(world, command).subscribe(_wish(command))


def _wish(command: Command) -> Subscribed:
    options = command.options
    return wish(f"pattern={options['pattern']}" if "pattern" in options else " ".join(command.words[1:]))


def following(world: ClusterWorld, command: Command) -> None:
    command.expect(range(2, 100), "nth", "pattern")
    owner, word, *value = command.words
    said = f"pattern={command.options['pattern']}" if "pattern" in command.options else " ".join(value)
    world.stage.script.say(owner, word, said, int(command.options.get("nth", 1)))


def heal(world: ClusterWorld, command: Command) -> None:
    command.expect(0)
    world.stage.troubles.heal()


def settle(world: ClusterWorld, command: Command) -> None:
    """See whether the group settles, and stays so."""
    command.expect(0)
    settling.settle(world.stage)


def tick(world: ClusterWorld, command: Command) -> None:
    command.expect(1)
    stage = world.begin()
    stage.run_until(stage.timeline.now + parse_duration(command.name))


def _node(world: ClusterWorld, command: Command, name: str | None = None) -> Node:
    nodes = {f"node{node.node_id}": node for node in world.begin().cluster.nodes}
    wanted = name or command.name
    if wanted not in nodes:
        raise command.error(f"there is no node {wanted}; there are {', '.join(nodes)}")
    return nodes[wanted]


def crash_node(world: ClusterWorld, command: Command) -> None:
    command.expect(1, "back", "leader")
    node, options = _node(world, command), command.options
    now = {"_replace_leader__pick": _node(world, command, options["leader"]).node_id} if "leader" in options else {}
    with world.saying(**now) as stage:
        stage.cluster.crash(node)
    if "back" in options:
        stage.timeline.after(parse_duration(options["back"]), lambda: _bring_back(stage.cluster, node))


def _bring_back(cluster: Cluster, node: Node) -> None:
    if not node.is_alive:
        cluster.come_back(node)


def fail_over(world: ClusterWorld, command: Command) -> None:
    """Let another node lead; the one before learns of that so much later."""
    command.expect(1, "old")
    now: dict[str, Any] = {"fail_over__pick": _node(world, command).node_id}
    if "old" in command.options:
        now[f"fail_over__{word_of(Fault.OLD_COORDINATOR)}"] = parse_duration(command.options["old"])
    with world.saying(**now) as stage:
        stage.cluster.fail_over()


def compact(world: ClusterWorld, command: Command) -> None:
    command.expect(1)
    with world.saying(compact__pick=_node(world, command)) as stage:
        stage.cluster.compact()


#: What can be commanded there.
CLUSTER: Mapping[str, Verb] = {
    "settings": settings,
    "topic": topic,
    "recreate": recreate,
    "grow": grow,
    "delete": delete,
    "member": member,
    "restart": restart,
    "crash": _each(lambda stage, it: stage.end(it)),
    "freeze": freeze,
    "hang": _each(_hang),
    "mishap": mishap,
    "subscribe": subscribe,
    "unsubscribe": _each(lambda stage, it: it.unsubscribe()),
    "close": _each(lambda stage, it: it.close()),
    "next": following,
    "heal": heal,
    "settle": settle,
    "tick": tick,
    "crash-node": crash_node,
    "fail-over": fail_over,
    "compact": compact,
    **DRAWN,
}


def cluster_player(_scenario: Scenario | None = None, *, tells: bool = True) -> Player[ClusterWorld]:
    world = ClusterWorld(TellingJudge() if tells else None)
    return Player(world, {name: telling(verb) for name, verb in CLUSTER.items()})
