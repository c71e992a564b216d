"""What goes wrong by itself, from time to time, and how it heals. What happens to clients is in ``mishaps``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.listed import GroupsDeleted
from kafka_nextgen.testing.coordinator.requests import DeleteGroups
from kafka_nextgen.testing.coordinator.responses import Response
from kafka_nextgen.wire.apis import HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP
from tests.verification.simulation.cluster import GROUP, VERSIONS
from tests.verification.simulation.dice import Dice, Fault
from tests.verification.simulation.mishaps import MISHAPS, Mishap
from tests.verification.simulation.timeline import Timeline

if TYPE_CHECKING:
    from tests.verification.simulation.running import Simulation

#: What stays for good, where some faults do.
STAYING = frozenset({Fault.NODE_GONE, Fault.CALLBACK_HANGS, Fault.CLIENT_GONE})

#: A fault that is rolled for so often (seconds) comes with its rate of the seed.
_ROLL_S = 2.0
_FOR_EVER_S = 1e9
#: After this time (seconds) coordinators wait no more for an assignor that was slow before all healed.
_ASSIGNORS_FAIL_S = 20.0

#: The oldest versions with which the simulated clients, static ones among them, can still do what they do.
_LOWEST = {JOIN_GROUP: 5, SYNC_GROUP: 3, HEARTBEAT: 3, LEAVE_GROUP: 3}


@define(eq=False)
class Troubles:
    """Rolls for each fault again and again, until all heals."""

    stage: Simulation
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
            Fault.NODE_STALLS: (0.1, self._stall_node),
            Fault.GROUP_DELETED: (0.5, self._delete_group),
            Fault.API_VERSION_DOWN: (0.1, self._lower_version),
            **{fault: (share, self._of_a_client(bring)) for fault, (share, bring) in MISHAPS.items()},
        }

    def start(self) -> None:
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
        cluster.rights_taken.clear()
        for node in cluster.nodes:
            node.stalled_until = 0.0
        for application in self.stage.applications:
            application.client.time.freeze(0.0)
            application.client.network.offline_until = 0.0
            # Whose assignor failed is not asked again before there is news, and one that is slow fails only then.
            application.client.later(_ASSIGNORS_FAIL_S, application.client.think_again)

    def stay(self) -> None:
        """Some faults stay for good: a callback never ends, a client never wakes, a node never comes back."""
        well = list(self.stage.applications)
        if len(well) > 1 and self.dice.chance() > 0.3:
            stuck = self.dice.pick(well)
            stuck.gets_stuck = True
            well.remove(stuck)
            self.dice.note(Fault.CALLBACK_HANGS)
        if len(well) > 1 and self.dice.chance() > 0.5:
            self.dice.pick(well).client.time.freeze(_FOR_EVER_S)
            self.dice.note(Fault.CLIENT_GONE)
        cluster = self.stage.cluster
        spare = [node for node in cluster.nodes if cluster.in_sync - {node.node_id}]  # else records would be lost
        if spare and self.dice.chance() > 0.5:
            cluster.crash(self.dice.pick(spare))
            self.dice.note(Fault.NODE_GONE)

    def _crash_node(self) -> bool:
        nodes = self.stage.cluster.alive()
        if len(nodes) < 2:
            return False
        return self.stage.cluster.crash_for_a_while(self.dice.pick(nodes))

    def _stall_node(self) -> bool:
        node = self.dice.pick(self.stage.cluster.alive())
        node.stalled_until = self.timeline.now + self.dice.between(0.5, 15.0)
        return True

    def _fail_over(self) -> bool:
        before = self.stage.cluster.leader
        self.stage.cluster.fail_over()
        return self.stage.cluster.leader != before

    def _compact(self) -> bool:
        return self.stage.cluster.compact() > 0

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

    def _of_a_client(self, bring: Mishap) -> Callable[[], bool]:
        def bring_to_one() -> bool:
            awake = [each for each in self.stage.applications if each.client.is_awake and not each.is_closing]
            return bool(awake) and bring(self.stage, self.dice.pick(awake), self.dice) is not False

        return bring_to_one

    def _delete_group(self) -> bool:
        node = self.stage.cluster.leading
        if node is None or node.coordinator is None or GROUP not in node.coordinator.groups:
            return False
        node.ask(DeleteGroups((GROUP,)), self._note_deleted)
        return False  # it is counted when it is done

    def _note_deleted(self, answer: Response | None) -> None:
        if isinstance(answer, GroupsDeleted) and answer.results[GROUP] is ErrorCode.NONE:
            self.dice.note(Fault.GROUP_DELETED)

    def _lower_version(self) -> bool:
        """Nodes speak an older version of an API for a while."""
        versions = self.stage.cluster.versions
        api = self.dice.pick(tuple(_LOWEST))
        versions[api] = self.dice.whole(_LOWEST[api], VERSIONS[api])
        self.timeline.after(self.dice.between(5.0, 60.0), lambda: versions.update({api: VERSIONS[api]}))
        return versions[api] < VERSIONS[api]
