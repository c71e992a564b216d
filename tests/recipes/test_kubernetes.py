"""The manifest for Kubernetes, and what it says, shown by two of its pods on the embedded broker."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import yaml

from kafka_nextgen import TopicPartition
from kafka_nextgen.testing import Cluster, ProducerRecord
from tests.recipes.programs import Program, started
from tests.support.example_programs import EXAMPLES
from tests.support.waiting import GUARD_S

Manifest = dict[str, Any]

SERVICE, SET = yaml.safe_load_all((EXAMPLES / "kubernetes_worker.yaml").read_text())
POD: Manifest = SET["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]
GROUP = "billing"


def environment(ordinal: int, **instead: str) -> dict[str, str]:
    """The environment that Kubernetes gives to a pod of the set; ``instead`` replaces what is different here."""
    fields = {"metadata.name": f"{SET['metadata']['name']}-{ordinal}"}
    given = {
        each["name"]: each["value"] if "value" in each else fields[each["valueFrom"]["fieldRef"]["fieldPath"]]
        for each in CONTAINER["env"]
    }
    assert instead.keys() <= given.keys()
    return {**given, **instead}


@contextmanager
def pod(cluster: Cluster, ordinal: int, **instead: str) -> Iterator[Program]:
    """Run a pod as the manifest says, apart from the broker's address and the port: all pods are on one host here."""
    here = {"BOOTSTRAP_SERVERS": cluster.bootstrap_servers, "PROBE_PORT": "0", **instead}
    (interpreter, program) = CONTAINER["command"]
    assert interpreter == "python"
    with started(program.removesuffix(".py"), environment=environment(ordinal, **here)) as running:
        running.await_lines(1)
        yield running


def probe(pod: Program, name: str, path: str | None = None) -> tuple[int, Any]:
    """Answer a probe of the manifest: its status code, and the document."""
    request = CONTAINER[name]["httpGet"]
    (port,) = [each for each in CONTAINER["ports"] if each["name"] == request["port"]]
    assert port["containerPort"] == int(environment(0)["PROBE_PORT"])
    listens = int(pod.lines[0].removeprefix("probes on port "))
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{listens}{path or request['path']}") as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def is_ready(pod: Program) -> bool:
    return probe(pod, "readinessProbe")[0] == 200


def handled(pod: Program) -> set[str]:
    return set(pod.lines[1:])


def owned(cluster: Cluster) -> dict[str | None, frozenset[TopicPartition] | None]:
    return {member.instance_id: member.assignment for member in cluster.group(GROUP).members}


def test_the_manifest_is_consistent() -> None:
    assert (SERVICE["kind"], SET["kind"]) == ("Service", "StatefulSet")
    labels = SET["spec"]["template"]["metadata"]["labels"]
    assert SERVICE["spec"]["selector"] == SET["spec"]["selector"]["matchLabels"] == labels
    assert SET["spec"]["serviceName"] == SERVICE["metadata"]["name"]
    assert POD["terminationGracePeriodSeconds"] >= 20 + 30, "drain_timeout_s, and the timeout of close"
    patience = CONTAINER["livenessProbe"]["periodSeconds"] * CONTAINER["livenessProbe"]["failureThreshold"]
    assert patience >= 300, "most problems end by themselves"


def test_pods_share_the_topic_and_a_rolling_update_moves_no_partition(cluster: Cluster) -> None:
    with ExitStack() as stack:
        pods = [stack.enter_context(pod(cluster, ordinal)) for ordinal in range(SET["spec"]["replicas"])]
        cluster.wait_until(lambda: [len(each or ()) for each in owned(cluster).values()] == [1, 1], GUARD_S)
        cluster.wait_until(lambda: all(map(is_ready, pods)), GUARD_S)
        assert [probe(each, "livenessProbe")[0] for each in pods] == [200, 200]
        before, epoch = owned(cluster), cluster.group(GROUP).epoch
        assert set(before) == {"billing-0", "billing-1"}
        for partition in range(2):
            cluster.produce("orders", ProducerRecord(f"order {partition}", partition=partition))
        cluster.wait_until(lambda: all(map(handled, pods)), GUARD_S)

        assert pods[1].terminate() == 0, pods[1].errors
        (left,) = before["billing-1"] or ()
        assert cluster.committed(GROUP)[(left.topic, left.partition)] == 1
        cluster.produce("orders", [ProducerRecord("meanwhile", partition=partition) for partition in range(2)])
        cluster.wait_until(lambda: len(handled(pods[0])) == 2, GUARD_S)
        assert is_ready(pods[0])
        assert owned(cluster) == before, "its partition waits for it"

        again = stack.enter_context(pod(cluster, 1))
        cluster.wait_until(lambda: is_ready(again) and len(handled(again)) == 1, GUARD_S)
        assert "meanwhile" in again.lines[1]
        assert owned(cluster) == before
        assert cluster.group(GROUP).epoch == epoch, "no rebalance"
        assert [each.terminate() for each in (pods[0], again)] == [0, 0]
    assert cluster.lag(GROUP, "orders") == 0
    assert cluster.committed(GROUP) == {("orders", 0): 2, ("orders", 1): 2}


def test_a_pod_with_a_problem_is_neither_ready_nor_alive_and_says_why(cluster: Cluster) -> None:
    with pod(cluster, 0) as first:
        cluster.wait_until(lambda: is_ready(first), GUARD_S)
        with pod(cluster, 0) as second:  # a copy of the set somewhere else
            cluster.wait_until(lambda: probe(second, "livenessProbe")[0] == 503, GUARD_S)
            status, health = probe(second, "readinessProbe")
            assert status == 503
            assert health["problem"].startswith("another member holds this group.instance.id")
            assert probe(second, "livenessProbe", "/other")[0] == 404
            assert second.terminate() == 0, second.errors
        assert is_ready(first)


@pytest.mark.parametrize("name", ["BOOTSTRAP_SERVERS", "TOPIC", "GROUP", "INSTANCE_ID"])
def test_a_setting_that_is_missing_is_named(name: str) -> None:
    given = environment(0, PROBE_PORT="0")
    del given[name]
    with started("kubernetes_worker", environment=given) as program:
        assert program.wait() == 1
    assert f"KeyError: '{name}'" in program.errors
