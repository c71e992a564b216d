"""What goes wrong by itself, from time to time, and how it heals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from attrs import define, field

from tests.simulation.applications import Application
from tests.simulation.cluster import Cluster
from tests.simulation.dice import Dice, Fault
from tests.simulation.timeline import Timeline

__all__ = ["Stage", "Troubles"]

#: A fault that is rolled for so often (seconds) comes with its rate of the seed.
_ROLL_S = 2.0
_FOR_EVER_S = 1e9


class Stage(Protocol):
    """What can go wrong."""

    cluster: Cluster
    applications: list[Application]

    def begin(self, name: str) -> None:
        """Begin a life of a client."""

    def end(self, application: Application) -> None:
        """End a client without a word."""


@define(eq=False)
class Troubles:
    """Rolls for each fault again and again, until all heals."""

    stage: Stage
    timeline: Timeline
    dice: Dice
    _is_over: bool = False
    _streams: dict[Fault, Dice] = field(init=False)
    _rolls: dict[Fault, tuple[float, Callable[[], bool]]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._streams = {fault: self.dice.stream(f"{fault.value}, if at all") for fault in Fault}
        self._rolls = {
            Fault.NODE_CRASH: (0.15, self._crash_node),
            Fault.FAIL_OVER: (0.3, self._fail_over),
            Fault.COMPACTION: (0.6, self._compact),
            Fault.TOPIC_CREATED: (0.15, self._create_topic),
            Fault.TOPIC_GROWN: (0.1, self._grow_topic),
            Fault.TOPIC_DELETED: (0.1, self._delete_topic),
            Fault.TOPIC_RECREATED: (0.1, self._recreate_topic),
            Fault.CLIENT_CRASH: (0.2, self._crash_client),
            Fault.CLIENT_FREEZE: (0.2, self._freeze_client),
            Fault.REPLACED: (0.2, self._replace_client),
            Fault.SUBSCRIPTION_CHANGED: (0.2, self._change_subscription),
            Fault.UNSUBSCRIBED: (0.1, self._unsubscribe),
            Fault.CLOSED: (0.15, self._close),
        }

    def start(self) -> None:
        """Begin to roll."""
        self.timeline.after(_ROLL_S, self._roll)

    def _roll(self) -> None:
        if self._is_over:
            return
        for fault, (share, bring) in self._rolls.items():
            if self._streams[fault].comes_up(fault, share) and bring():
                self.dice.note(fault)
        self.timeline.after(self.dice.between(0.5, 1.5) * _ROLL_S, self._roll)

    def heal(self) -> None:
        """Nothing goes wrong any more, and what is broken is mended."""
        self._is_over = True
        self.dice.heal()
        cluster = self.stage.cluster
        for node in sorted(cluster.nodes, key=lambda node: -node.replica.end):
            if not node.is_alive:
                cluster.come_back(node)
        for application in self.stage.applications:
            application.client.freeze(0.0)

    def stay(self) -> None:
        """Some faults stay for good: a callback never ends, a client never wakes, a node never comes back."""
        well = list(self.stage.applications)
        if len(well) > 1 and self.dice.chance() > 0.3:
            stuck = self.dice.pick(well)
            stuck.gets_stuck = True
            well.remove(stuck)
            self.dice.note(Fault.CALLBACK_HANGS)
        if len(well) > 1 and self.dice.chance() > 0.5:
            self.dice.pick(well).client.freeze(_FOR_EVER_S)
            self.dice.note(Fault.CLIENT_GONE)
        cluster = self.stage.cluster
        spare = [node for node in cluster.nodes if cluster.in_sync - {node.node_id}]  # else records would be lost
        if spare and self.dice.chance() > 0.5:
            cluster.crash(self.dice.pick(spare))
            self.dice.note(Fault.NODE_GONE)

    # ---- nodes

    def _crash_node(self) -> bool:
        nodes = self.stage.cluster.alive()
        if len(nodes) < 2:
            return False
        node = self.dice.pick(nodes)
        self.stage.cluster.crash(node)
        self.timeline.after(self.dice.between(0.5, 40.0), lambda: self._restart(node.node_id))
        return True

    def _restart(self, node_id: int) -> None:
        node = self.stage.cluster.nodes[node_id]
        if not node.is_alive:
            self.stage.cluster.come_back(node)

    def _fail_over(self) -> bool:
        before = self.stage.cluster.leader
        self.stage.cluster.fail_over()
        return self.stage.cluster.leader != before

    def _compact(self) -> bool:
        return self.stage.cluster.compact() > 0

    # ---- topics

    def _some_topic(self) -> str | None:
        names = sorted(self.stage.cluster.topics)
        return self.dice.pick(names) if names else None

    def _create_topic(self) -> bool:
        missing = [name for name in ("t0", "t1", "t2", "t3") if name not in self.stage.cluster.topics]
        if missing:
            self.stage.cluster.set_topic(self.dice.pick(missing), self.dice.whole(1, 3), anew=True)
        return bool(missing)

    def _grow_topic(self) -> bool:
        name = self._some_topic()
        if name is None or self.stage.cluster.topics[name].num_partitions >= 5:
            return False
        self.stage.cluster.set_topic(name, self.stage.cluster.topics[name].num_partitions + 1)
        return True

    def _delete_topic(self) -> bool:
        name = self._some_topic()
        if name is None:
            return False
        self.stage.cluster.delete_topic(name)
        return True

    def _recreate_topic(self) -> bool:
        name = self._some_topic()
        if name is None:
            return False
        self.stage.cluster.set_topic(name, self.dice.whole(1, 3), anew=True)
        return True

    # ---- clients

    def _some_application(self) -> Application | None:
        awake = [each for each in self.stage.applications if each.client.is_awake and not each.is_closing]
        return self.dice.pick(awake) if awake else None

    def _crash_client(self) -> bool:
        application = self._some_application()
        if application is None:
            return False
        self.stage.end(application)
        return True

    def _freeze_client(self) -> bool:
        application = self._some_application()
        if application is None:
            return False
        application.client.freeze(self.dice.tail(10.0))
        return True

    def _replace_client(self) -> bool:
        """A static member is frozen for longer than its session; another one with its instance id begins meanwhile."""
        application = self._some_application()
        if application is None or not application.client.is_static:
            return False
        application.client.freeze(self.dice.between(15.0, 40.0))
        self.stage.begin(application.client.name.partition("/")[0])
        return True

    def _change_subscription(self) -> bool:
        application = self._some_application()
        if application is None or application.wanted is None:
            return False
        application.subscribe(self.dice.pick(application.wishes))
        return True

    def _unsubscribe(self) -> bool:
        application = self._some_application()
        if application is None or application.wanted is None:
            return False
        application.unsubscribe()
        return True

    def _close(self) -> bool:
        application = self._some_application()
        if application is None:
            return False
        application.close()
        return True
