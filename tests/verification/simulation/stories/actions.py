"""What can be done to a group from outside, as commands.

| what is done | command |
|---|---|
| topics | ``topic t0 2``, ``grow t0 3``, ``delete t0``, ``recreate t0 1`` |
| a client begins | ``member c0 topics=t0 ...``, and again: ``restart c0 ...`` |
| and ends, or something happens to it | ``crash c0``, ``freeze c0 12s``, ``hang c0``, ``close c0`` |
| its application | ``subscribe c0 t0 t1``, ``unsubscribe c0`` |
| nodes | ``crash-node node1 back=12s``, ``fail-over node2 old=5s``, ``compact node1`` |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kafka_nextgen.membership.classic.settings import ClassicSettings
from tests.verification.simulation.applications import Application, Habits
from tests.verification.simulation.cluster import Cluster
from tests.verification.simulation.dice import Fault
from tests.verification.simulation.mishaps import MISHAPS
from tests.verification.simulation.stories.seams import name_of, word_of, written

#: What a client is like if nothing is said of it.
PLAIN = Habits(0.5, 1, False, 0.0, 0.0, 0.5, 30.0)
_NAMES = {
    "processing": "processing_s",
    "records": "records",
    "commits_waiting": "commits_waiting",
    "commits_beside": "commits_beside",
    "commit_timeout": "commit_timeout_s",
}


def options_of(application: Application, habits: Habits | None) -> Iterator[str]:
    """What is to be said of a client that begins, as options; ``habits`` are told with its first life."""
    client = application.client
    if application.wanted is not None:
        yield f"{'' if application.wanted.pattern else 'topics='}{written(application.wanted)}"
    if client.is_static:
        yield f"instance={client.settings.instance_id}"
    if isinstance(client.settings, ClassicSettings):
        yield f"protocol=classic assignors={' '.join(client.settings.strategies)}"
    if client.auto_commit_interval_s is not None:
        yield f"interval={written(client.auto_commit_interval_s)}"
    if client.rate != 1.0:
        yield f"rate={client.rate!r}"
    for option, name in _NAMES.items():
        if habits is not None and getattr(habits, name) != getattr(PLAIN, name):
            yield f"{option}={written(getattr(habits, name), '' if name.endswith('_s') else 'commits')}"


def _name(application: Application) -> str:
    return name_of(application.client.name)


_Said = Mapping[str, Any]
_WHO = "bring_to_one.pick"


def _crash_node(cluster: Cluster, said: _Said) -> str:
    leader = f" leader=node{said['_replace_leader.pick']}" if "_replace_leader.pick" in said else ""
    return f"crash-node {written(said['_crash_node.pick'])} back={written(said['crash_for_a_while.between'])}{leader}"


def _fail_over(cluster: Cluster, said: _Said) -> str:
    late = said.get(f"fail_over.{word_of(Fault.OLD_COORDINATOR)}")
    old = f" old={written(late)}" if late else ""
    return f"fail-over node{said['fail_over.pick']}{old}"


def _grow(cluster: Cluster, said: _Said) -> str:
    name = said["_some_topic.pick"]
    return f"grow {name} {cluster.topics[name].num_partitions}"


def _frozen(cluster: Cluster, said: _Said) -> str:
    seconds = next(value for key, value in said.items() if key != _WHO)
    return f"freeze {_name(said[_WHO])} {written(seconds)}"


def _suffers(fault: Fault) -> Callable[[Cluster, _Said], str]:
    def command(cluster: Cluster, said: _Said) -> str:
        values = [written(value) for key, value in said.items() if key != _WHO]
        return " ".join(["mishap", _name(said[_WHO]), word_of(fault), *values[:1]])

    return command


def _subscribed(cluster: Cluster, said: _Said) -> str:
    return f"subscribe {_name(said['bring_to_one.pick'])} {written(said['_change_subscription.pick'])}"


ACTIONS: Mapping[Fault, Callable[[Cluster, _Said], str]] = {
    **{fault: _suffers(fault) for fault in MISHAPS},
    Fault.NODE_CRASH: _crash_node,
    Fault.FAIL_OVER: _fail_over,
    Fault.COMPACTION: lambda _, said: f"compact {written(said['compact.pick'])}",
    Fault.TOPIC_CREATED: lambda _, said: f"topic {said['_create_topic.pick']} {said['_create_topic.whole']}",
    Fault.TOPIC_GROWN: _grow,
    Fault.TOPIC_DELETED: lambda _, said: f"delete {said['_some_topic.pick']}",
    Fault.TOPIC_RECREATED: lambda _, said: f"recreate {said['_some_topic.pick']} {said['_recreate_topic.whole']}",
    Fault.CLIENT_CRASH: lambda _, said: f"crash {_name(said['bring_to_one.pick'])}",
    Fault.CLIENT_FREEZE: _frozen,
    Fault.REPLACED: _frozen,
    Fault.SUBSCRIPTION_CHANGED: _subscribed,
    Fault.UNSUBSCRIBED: lambda _, said: f"unsubscribe {_name(said['bring_to_one.pick'])}",
    Fault.CLOSED: lambda _, said: f"close {_name(said['bring_to_one.pick'])}",
    Fault.CALLBACK_HANGS: lambda _, said: f"hang {_name(said['stay.pick'])}",
    Fault.CLIENT_GONE: lambda _, said: f"freeze {_name(said['stay.pick'])} 1000000000s",
    Fault.NODE_GONE: lambda _, said: f"crash-node {written(said['stay.pick'])}",
}
