"""A standby that is loading idles as long as there is a ready one, with Kafka's own times (KIP-345, "Future Works")."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from click.testing import CliRunner

from kafka_nextgen import Consumer, GroupAdmin, RebalanceConsumer, RebalanceListener, StandbyState, TopicPartition
from kafka_nextgen.cli.main import cli
from kafka_nextgen.testing import Cluster
from tests.support.waiting import GUARD_S

GROUP = "billing"
LOADING, READY = StandbyState.LOADING, StandbyState.READY


@pytest.fixture
def admin(cluster: Cluster) -> Iterator[GroupAdmin]:
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.alter_config(GROUP, {"group.target.size": 1})
        yield admin


class Loads(RebalanceListener):
    """Loads the state of a standby until ``may_end`` is set, or in the background."""

    def __init__(self, outcome: StandbyState | None = None) -> None:
        self.has_begun, self.may_end = threading.Event(), threading.Event()
        self.partitions: Sequence[TopicPartition] = ()
        self._outcome = outcome
        if outcome is not None:
            self.may_end.set()

    def on_standby(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> StandbyState | None:
        self.partitions = partitions
        self.has_begun.set()
        assert self.may_end.wait(GUARD_S)
        return self._outcome


def member(cluster: Cluster, name: str, listener: RebalanceListener | None = None) -> Consumer:
    consumer = Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id=GROUP, client_id=name)
    consumer.subscribe(["orders"], listener)
    return consumer


def active_member(cluster: Cluster) -> Consumer:
    """The member that joins first, and so has the partitions before another one begins to join."""
    consumer = member(cluster, "active")
    poll_until(consumer, consumer.assignment)
    return consumer


def poll_until(consumer: Consumer, is_so: Callable[[], object]) -> None:
    while not is_so():
        consumer.poll(0.1)


def standbys(admin: GroupAdmin) -> dict[str, tuple[int, StandbyState]]:
    """The place and the state of each standby, by name."""
    return {
        each.client_id: (each.standby_place, each.standby_state) for each in admin.members(GROUP) if each.standby_place
    }


def test_a_ready_standby_takes_over_at_once_while_the_first_one_is_still_loading(
    cluster: Cluster, admin: GroupAdmin
) -> None:
    """Before standbys said so, the first one was chosen, and the partitions stood still while it loaded."""
    slow, quick = Loads(), Loads(READY)
    active = active_member(cluster)
    with member(cluster, "loading", slow) as first, member(cluster, "ready", quick) as second:
        polling = threading.Thread(target=poll_until, args=(first, slow.may_end.is_set))
        polling.start()
        assert slow.has_begun.wait(GUARD_S)
        poll_until(second, lambda: standbys(admin) == {"loading": (2, LOADING), "ready": (1, READY)})
        check_command_line(cluster)
        active.close()
        cluster.advance(seconds=0.5)
        poll_until(second, second.assignment)
        cluster.advance(seconds=12)
        assert standbys(admin) == {"loading": (1, LOADING)}
        assert f"standby {second.group_metadata().member_id} took over for" in str(admin.history(GROUP)[-1])
        slow.may_end.set()
        polling.join()
        poll_until(first, lambda: standbys(admin) == {"loading": (1, READY)})
        assert second.assignment()


def check_command_line(cluster: Cluster) -> None:
    def members(*more: str) -> str:
        done = CliRunner().invoke(cli, ["groups", "members", GROUP, *more, "-b", cluster.bootstrap_servers])
        assert done.exit_code == 0, done.stderr
        return done.stdout

    heading, *rows = members().splitlines()
    column = heading.index("STANDBY")
    assert sorted(" ".join(row[column:].split()[:2]) for row in rows)[-2:] == ["1", "2 loading"]
    states = {each["client_id"]: each["standby_state"] for each in json.loads(members("--json"))}
    assert states == {"active": "unknown", "loading": "loading", "ready": "ready"}


def test_a_loading_standby_takes_over_if_no_other_is_ready(cluster: Cluster, admin: GroupAdmin) -> None:
    active = active_member(cluster)
    with member(cluster, "standby", Loads(LOADING)) as standby:
        poll_until(standby, lambda: standbys(admin) == {"standby": (1, LOADING)})
        active.close()
        poll_until(standby, standby.assignment)
        assert ", still loading, took over for" in str(admin.history(GROUP)[-1])


def test_a_standby_that_loads_in_the_background_says_when_it_is_ready(cluster: Cluster, admin: GroupAdmin) -> None:
    loads = Loads(LOADING)
    with active_member(cluster), member(cluster, "background", loads) as first:
        poll_until(first, loads.has_begun.is_set)
        with member(cluster, "ready", Loads(READY)) as second:
            one_is_ready = {"background": (2, LOADING), "ready": (1, READY)}
            poll_until(second, lambda: standbys(admin) == one_is_ready)
            first.standby_ready([TopicPartition("orders", 7)])  # of another call
            cluster.advance(seconds=1)
            assert standbys(admin) == one_is_ready
            first.standby_ready(loads.partitions)
            poll_until(second, lambda: standbys(admin) == {"background": (1, READY), "ready": (2, READY)})


@pytest.mark.parametrize("first", [None, RebalanceListener()], ids=["none before", "another before"])
def test_a_standby_that_gets_its_listener_later_loads_for_it(
    cluster: Cluster, admin: GroupAdmin, first: RebalanceListener | None
) -> None:
    with active_member(cluster), member(cluster, "late", first) as late:
        poll_until(late, lambda: standbys(admin) == {"late": (1, READY)})
        loads = Loads(READY)
        late.subscribe(["orders"], loads)
        poll_until(late, loads.has_begun.is_set)
        poll_until(late, lambda: standbys(admin) == {"late": (1, READY)})
