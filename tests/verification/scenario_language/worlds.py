"""Which verbs there are in which world."""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from tests.verification.scenario_language.grammar import Scenario
from tests.verification.scenario_language.pair import PairWorld
from tests.verification.scenario_language.playing import Player, Verbs
from tests.verification.scenario_language.pure import PureWorld
from tests.verification.scenario_language.scripted.world import ScriptedWorld
from tests.verification.scenario_language.verbs import (
    answers,
    applications,
    assigning,
    classic_answers,
    classic_groups,
    classic_members,
    classic_requests,
    desks,
    groups,
    heartbeats,
    members,
    offsets,
    own_assignors,
    pairs,
    topics,
)
from tests.verification.scenario_language.world import World

#: Real Kafka of one release, whose ways the coordinators of the other worlds then have.
RELEASES = {f"kafka-{profile.value}": profile for profile in Profile}

#: The worlds nobody can look inside.
CLOSED = frozenset({"tcp", "kafka", *RELEASES})

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
    "delete-offsets": offsets.delete_offsets,
    "txn-commit": offsets.txn_commit,
    "end-txn": offsets.end_txn,
    "configure": heartbeats.configure,
    "join-group": classic_requests.join_group,
    "sync-group": classic_requests.sync_group,
    "heartbeat-group": classic_requests.heartbeat_group,
    "leave-group": classic_requests.leave_group,
    "await": classic_requests.wait_for,
    "commit-group": classic_groups.commit_group,
    "describe-group": classic_groups.describe_group,
    "describe-members": classic_groups.describe_members,
    "list-groups": classic_groups.list_groups,
    "delete-group": classic_groups.delete_group,
    "epochs": heartbeats.epochs,
    "tick": classic_requests.tick,
}

#: What takes a hand inside the coordinator.
INSIDE: Verbs[PureWorld] = {
    "settings": groups.settings,
    "epoch": groups.epoch,
    "generation": groups.generation,
    "add-members": groups.add_members,
    "announce-leaving": groups.announce_leaving,
    "prepare": assigning.prepare,
    "install": assigning.install,
    "assign": groups.assign,
    "coordinator": groups.coordinator,
    "state": groups.state,
    "history": groups.history,
}

#: What can be done in the pure world.
PURE: Verbs[PureWorld] = {**RAW, **INSIDE, "member": groups.present_member}

#: What members with machines can do, and what can be done to them.
PAIR: Verbs[PairWorld] = {
    **RAW,
    **INSIDE,
    "member": members.member,
    "subscribe": applications.subscribe,
    "unsubscribe": applications.unsubscribe,
    "poll": applications.poll,
    "pause-poll": applications.pause_poll,
    "wake": applications.wake,
    "position": desks.position,
    "commit": pairs.commit,
    "committed": desks.committed,
    "close": applications.close,
    "say": own_assignors.say,
    "standby": members.standby,
    "computed": own_assignors.computed,
    "crash": members.crash,
    "restart": members.restart,
    "hold": pairs.hold,
    "release": pairs.release,
    "deliver": pairs.deliver,
    "drop": pairs.drop,
    "duplicate": pairs.duplicate,
    "delay": pairs.delay,
    "slow": applications.slow,
    "quick": applications.quick,
    "answer": answers.answer,
    "settle": pairs.settle,
    "coordinator": pairs.coordinator,
    "state": pairs.state,
}

#: What members of a classic group can do, and what their coordinator is made to say.
SCRIPTED: Verbs[ScriptedWorld] = {
    "member": classic_members.member,
    "peer": classic_members.peer,
    "rebalancing": classic_members.rebalancing,
    "topic": classic_members.topic,
    "delete": classic_members.delete,
    "enforce": classic_members.enforce,
    "commit": classic_members.commit,
    "committed": desks.committed,
    "position": desks.position,
    "subscribe": applications.subscribe,
    "unsubscribe": applications.unsubscribe,
    "poll": applications.poll,
    "pause-poll": applications.pause_poll,
    "wake": applications.wake,
    "close": applications.close,
    "slow": applications.slow,
    "quick": applications.quick,
    "answer": classic_answers.answer,
    "lose": classic_answers.lose,
    "say": own_assignors.say_late,
    "computed": own_assignors.computed_by_leader,
    "tick": classic_members.tick,
    "settle": classic_members.settle,
    "state": classic_members.state,
}


def profile_of(scenario: Scenario) -> Profile:
    """The release of Kafka that a scenario is about: the newest, if it names none."""
    named = (RELEASES[world] for world in scenario.worlds if world in RELEASES)
    return next(named, CoordinatorSettings().profile)


def pure_player(scenario: Scenario) -> Player[PureWorld]:
    """A world of its own for the scenario, with the coordinator machine alone."""
    world = PureWorld(answers_only=not CLOSED.isdisjoint(scenario.worlds))
    world.host.configure(evolve(world.host.settings, profile=profile_of(scenario)))
    return Player(world, PURE)


def pair_player(_scenario: Scenario) -> Player[PairWorld]:
    """A world of its own for the scenario, with members that have machines."""
    return Player(PairWorld(), PAIR)


def scripted_player(_scenario: Scenario) -> Player[ScriptedWorld]:
    """A world of its own for the scenario, with members of a classic group."""
    return Player(ScriptedWorld(), SCRIPTED)
