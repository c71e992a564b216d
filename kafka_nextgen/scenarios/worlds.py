"""Which verbs there are in which world."""

from __future__ import annotations

from kafka_nextgen.scenarios.grammar import Scenario
from kafka_nextgen.scenarios.pair import PairWorld
from kafka_nextgen.scenarios.playing import Player, Verbs
from kafka_nextgen.scenarios.pure import PureWorld
from kafka_nextgen.scenarios.verbs import (
    answers,
    classic,
    classic_groups,
    groups,
    heartbeats,
    links,
    members,
    offsets,
    pairs,
    time,
    topics,
)
from kafka_nextgen.scenarios.world import World

__all__ = ["PAIR", "PURE", "RAW", "pair_player", "pure_player"]

#: The worlds nobody can look inside.
CLOSED = frozenset({"tcp", "kafka"})

#: What can be done wherever there is a coordinator to talk to.
RAW: Verbs[World] = {
    "topic": topics.topic,
    "grow": topics.grow,
    "delete": topics.delete,
    "recreate": topics.recreate,
    "join": heartbeats.join,
    "heartbeat": heartbeats.heartbeat,
    "leave": heartbeats.leave,
    "pause": heartbeats.pause,
    "commit": offsets.commit,
    "fetch-offsets": offsets.fetch_offsets,
    "join-group": classic.join_group,
    "sync-group": classic.sync_group,
    "heartbeat-group": classic.heartbeat_group,
    "leave-group": classic.leave_group,
    "await": classic.wait_for,
    "commit-group": classic_groups.commit_group,
    "describe-group": classic_groups.describe_group,
    "list-groups": classic_groups.list_groups,
    "delete-group": classic_groups.delete_group,
    "tick": time.tick,
}

#: What takes a hand inside the coordinator.
INSIDE: Verbs[PureWorld] = {
    "settings": groups.settings,
    "epoch": groups.epoch,
    "assign": groups.assign,
    "coordinator": groups.coordinator,
    "state": groups.state,
}

#: What can be done in the pure world.
PURE: Verbs[PureWorld] = {**RAW, **INSIDE, "member": groups.present_member}

#: What members with machines can do, and what can be done to them.
PAIR: Verbs[PairWorld] = {
    **RAW,
    **INSIDE,
    "member": members.member,
    "subscribe": members.subscribe,
    "unsubscribe": members.unsubscribe,
    "poll": members.poll,
    "pause-poll": members.pause_poll,
    "wake": members.wake,
    "position": members.position,
    "close": members.close,
    "crash": members.crash,
    "restart": members.restart,
    "hold": links.hold,
    "release": links.release,
    "deliver": links.deliver,
    "drop": links.drop,
    "duplicate": links.duplicate,
    "slow": answers.slow,
    "quick": answers.quick,
    "answer": answers.answer,
    "settle": pairs.settle,
    "coordinator": pairs.coordinator,
    "state": pairs.state,
}


def pure_player(scenario: Scenario) -> Player[PureWorld]:
    """A world of its own for the scenario, with the coordinator machine alone."""
    world = PureWorld(answers_only=not CLOSED.isdisjoint(scenario.worlds))
    return Player(world, PURE)


def pair_player(_scenario: Scenario) -> Player[PairWorld]:
    """A world of its own for the scenario, with members that have machines."""
    return Player(PairWorld(), PAIR)
