"""``consume`` without a group: what is printed, where it begins and ends, and that nothing is left behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from kafka_nextgen import GroupAdmin
from kafka_nextgen.cli.main import cli
from kafka_nextgen.testing import Cluster

VALUES = {0: ["a0", "a1", "a2"], 1: ["b0", "b1"]}


@pytest.fixture(scope="module")
def written() -> Iterator[Cluster]:
    """Two partitions, of three and two records."""
    with Cluster() as cluster:
        cluster.create_topic("orders", partitions=2)
        for partition, values in VALUES.items():
            for value in values:
                cluster.produce("orders", [value.encode()], partition=partition)
        yield cluster


def peek(cluster: Cluster, *options: str) -> Result:
    return CliRunner().invoke(cli, ["consume", "orders", "-b", cluster.bootstrap_servers, *options])


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (["--from-beginning", "-e"], ["a0", "a1", "a2", "b0", "b1"]),
        (["--last", "1", "-e"], ["a2", "b1"]),
        (["--last", "9", "-e", "-p", "1"], ["b0", "b1"]),
        (["-p", "0", "--from-beginning", "--max-messages", "2"], ["a0", "a1"]),
        (["-p", "0", "--last", "2", "--timeout", "0.5"], ["a1", "a2"]),
        (["-e"], []),
    ],
)
def test_what_is_asked_for_is_printed_and_the_command_ends(
    written: Cluster, options: list[str], lines: list[str]
) -> None:
    done = peek(written, *options)
    assert (done.exit_code, sorted(done.stdout.splitlines())) == (0, lines), done.stderr


def test_no_group_is_left_behind(written: Cluster) -> None:
    peek(written, "--from-beginning", "-e")
    with GroupAdmin(bootstrap_servers=written.bootstrap_servers) as admin:
        assert list(admin.list().groups) == []


@pytest.mark.parametrize(
    ("options", "says", "code"),
    [
        (["-g", "billing", "--last", "1"], "omit --group", 2),
        (["-g", "billing", "-p", "0"], "omit --group", 2),
        (["--last", "1", "--from-beginning"], "exclude each other", 2),
        (["-p", "7"], "orders has no partition 7: it has 0 to 1", 1),
    ],
)
def test_what_can_t_be_is_refused(written: Cluster, options: list[str], says: str, code: int) -> None:
    done = peek(written, *options)
    assert done.exit_code == code
    assert says in done.stderr
