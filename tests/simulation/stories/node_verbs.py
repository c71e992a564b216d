"""The commands of the cluster world that are about nodes; ``world`` has the list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tests.scenario_language.grammar import Command
from tests.scenario_language.notation import parse_duration
from tests.simulation.cluster import Cluster
from tests.simulation.dice import Fault
from tests.simulation.nodes import Node
from tests.simulation.stories.seams import word_of
from tests.simulation.stories.world import ClusterWorld, Verb

__all__ = ["OF_NODES"]


def _node(world: ClusterWorld, command: Command, name: str | None = None) -> Node:
    nodes = {f"node{node.node_id}": node for node in world.begin().cluster.nodes}
    wanted = name or command.name
    if wanted not in nodes:
        raise command.error(f"there is no node {wanted}; there are {', '.join(nodes)}")
    return nodes[wanted]


def crash_node(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Let a node be gone, for so long or for good."""
    command.expect(1, "back", "leader")
    node, options = _node(world, command), command.options
    now = {"_replace_leader__pick": _node(world, command, options["leader"]).node_id} if "leader" in options else {}
    with world.saying(**now) as stage:
        stage.cluster.crash(node)
    if "back" in options:
        stage.timeline.after(parse_duration(options["back"]), lambda: _bring_back(stage.cluster, node))
    yield from ()


def _bring_back(cluster: Cluster, node: Node) -> None:
    if not node.is_alive:
        cluster.come_back(node)


def fail_over(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Let another node lead; the one before learns of that so much later."""
    command.expect(1, "old")
    now: dict[str, Any] = {"fail_over__pick": _node(world, command).node_id}
    if "old" in command.options:
        now[f"fail_over__{word_of(Fault.OLD_COORDINATOR)}"] = parse_duration(command.options["old"])
    with world.saying(**now) as stage:
        stage.cluster.fail_over()
    yield from ()


def compact(world: ClusterWorld, command: Command) -> Iterator[str]:
    """Compact a node's log."""
    command.expect(1)
    with world.saying(compact__pick=_node(world, command)) as stage:
        stage.cluster.compact()
    yield from ()


OF_NODES: Mapping[str, Verb] = {"crash-node": crash_node, "fail-over": fail_over, "compact": compact}
