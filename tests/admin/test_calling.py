"""What callers of the admin get wrong, and what they hear when nobody is there."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from kafka_nextgen import (
    AsyncGroupAdmin,
    ConfigError,
    GroupAdmin,
    MisuseError,
    NoBrokersError,
    RequestTimeoutError,
    TopicPartition,
)
from kafka_nextgen.testing import Cluster
from kafka_nextgen.transport import settings as transport_settings
from kafka_nextgen.transport.futures import SafeFuture
from tests.support.kafka_properties import refusing_address
from tests.support.waiting import GUARD_S


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=2) as cluster:
        cluster.create_topic("orders", 1)
        yield cluster


@pytest.fixture(scope="module")
def admin(cluster: Cluster) -> Iterator[GroupAdmin]:
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        yield admin


@pytest.mark.parametrize(
    ("call", "kind", "complaint"),
    [
        (lambda admin: admin.describe("billing"), TypeError, r"did you mean \['billing'\]"),
        (lambda admin: admin.describe([7]), TypeError, "must be str, not 7"),
        (lambda admin: admin.list(types=["new"]), ValueError, "use one of consumer, classic, share, streams, unknown"),
        (lambda admin: admin.list(states="Stable"), TypeError, "GroupState values must be given as a collection"),
        (lambda admin: admin.alter_offsets("g", {}), ValueError, "no offsets to alter"),
        (lambda admin: admin.alter_offsets("g", {TopicPartition("t", 0): -1}), ValueError, "-1 is not an offset"),
        (lambda admin: admin.delete_offsets("g", TopicPartition("t", 0)), TypeError, "collection of TopicPartition"),
        (lambda admin: admin.remove_members("g"), ValueError, "by instance id or member id"),
        (lambda admin: admin.remove_members("g", member_ids="m"), TypeError, r"did you mean \['m'\]"),
        (lambda admin: admin.remove_members("g", member_ids=[("m", 7)]), TypeError, r"pairs .*, not \('m', 7\)"),
        (lambda admin: admin.remove_members("g", member_ids=[("m",)]), TypeError, r"pairs .*, not \('m',\)"),
        (lambda admin: admin.remove_members("g", member_ids=[("", "i")]), ValueError, "in instance_ids"),
        (lambda admin: admin.alter_config("g", {}), ValueError, "nothing to change"),
        (lambda admin: admin.list(timeout=float("nan")), ValueError, "number of seconds"),
    ],
)
def test_what_can_not_be_is_said_at_once(
    admin: GroupAdmin, call: Callable[[GroupAdmin], object], kind: type[Exception], complaint: str
) -> None:
    with pytest.raises(kind, match=complaint):
        call(admin)


def test_configuration_is_that_of_a_consumer() -> None:
    with pytest.raises(ConfigError, match=r"bootstrap\.servers is required"):
        GroupAdmin({})


def test_nobody_there_is_heard_once_patience_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport_settings, "UNREACHABLE_TIMEOUT_S", 0.3)
    with refusing_address() as nobody, GroupAdmin(bootstrap_servers=nobody) as admin:
        for call in (admin.list, lambda: admin.describe(["g"]), lambda: admin.offsets("g")):
            with pytest.raises(NoBrokersError, match=nobody):
                call()


def test_a_server_that_never_answers_costs_no_more_than_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with GroupAdmin(bootstrap_servers=address) as admin, pytest.raises(RequestTimeoutError):
            admin.list(timeout=0.2)


def test_threads_may_call_at_the_same_time(admin: GroupAdmin) -> None:
    for number in range(8):
        admin.alter_offsets(f"shared-{number}", {TopicPartition("orders", 0): number})

    def lag_of(number: int) -> int:
        committed = admin.offsets(f"shared-{number}")[TopicPartition("orders", 0)].committed
        return -1 if committed is None else committed.offset

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lag_of, range(8))) == list(range(8))


def test_groups_of_all_brokers_are_listed(admin: GroupAdmin) -> None:
    groups = [f"spread-{number}" for number in range(12)]
    for group in groups:
        admin.alter_offsets(group, {TopicPartition("orders", 0): 0})
    described = admin.describe(groups).all()
    assert {group.coordinator.node_id for group in described.values()} == {1, 2}
    assert set(groups) <= {group.group_id for group in admin.list(states=["Empty"]).groups}
    assert all(group.is_simple for group in described.values())


def test_a_closed_admin_says_so(cluster: Cluster) -> None:
    admin = GroupAdmin(bootstrap_servers=cluster.bootstrap_servers)
    admin.close()
    admin.close()
    with pytest.raises(MisuseError, match="this GroupAdmin is closed"):
        admin.list()

    async def ask() -> None:
        awaited = AsyncGroupAdmin(bootstrap_servers=cluster.bootstrap_servers)
        await awaited.close()
        await awaited.list()

    with pytest.raises(MisuseError, match="this AsyncGroupAdmin is closed"):
        asyncio.run(ask())


def test_one_that_is_dropped_warns_and_ends_its_thread(cluster: Cluster) -> None:
    admin = GroupAdmin(bootstrap_servers=cluster.bootstrap_servers, client_id="dropped")
    admin.list()
    (thread,) = [thread for thread in threading.enumerate() if "admin dropped" in thread.name]
    with pytest.warns(ResourceWarning, match=r"dropped without close\(\)"):
        del admin  # the only reference there is
    thread.join(GUARD_S)
    assert not thread.is_alive()


def test_one_whose_close_is_interrupted_ends_its_thread(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = GroupAdmin(bootstrap_servers=cluster.bootstrap_servers, client_id="interrupted")
    (thread,) = [thread for thread in threading.enumerate() if "admin interrupted" in thread.name]
    with monkeypatch.context() as patched:
        patched.setattr(SafeFuture, "result", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            admin.close()
    thread.join(GUARD_S)
    assert not thread.is_alive()
    admin.close()


def test_one_that_can_not_be_made_leaves_no_thread_behind(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing")
    tls = {"security_protocol": "SSL", "ssl_ca_location": str(tmp_path / "ca.pem")}
    with pytest.raises(ConfigError, match="has no PEM certificates"):
        GroupAdmin(bootstrap_servers="localhost:9092", client_id="unmade", **tls)
    assert not [thread for thread in threading.enumerate() if "admin unmade" in thread.name]
