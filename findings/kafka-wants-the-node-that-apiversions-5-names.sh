#!/usr/bin/env bash
# Kafka 4.4.0: ApiVersions 5 (KIP-1242) names the cluster and the node that a client means. With the right cluster and
# the id of another node the answer is REBOOTSTRAP_REQUIRED (129), as with another cluster; without a node id it is
# INVALID_REQUEST (42). So a client that reaches several nodes by one address, such as a proxy's, must name neither.
. "$(dirname "$0")/support/common.sh"
python_with kafka-python==3.0.12
kafka 4.4.0
export BOOTSTRAP
python_says "nothing: 0
this cluster, node 1: 0
this cluster, node 2: 129
another cluster, node 1: 129
this cluster, no node: 42
no cluster, node 1: 42" <<'PY'
import os
import socket
import struct

from kafka.admin import KafkaAdminClient

servers = os.environ["BOOTSTRAP"]
cluster = KafkaAdminClient(bootstrap_servers=servers).describe_cluster()["cluster_id"]


def compact(text):
    return b"\0" if text is None else bytes([len(text) + 1]) + text.encode()


def error_of(cluster_id, node_id):
    """The error code of ApiVersions 5: the header with its tags, software name and version, who is meant, tags."""
    header = struct.pack(">hhih", 18, 5, 7, 1) + b"f" + b"\0"
    body = compact("finding") + compact("1") + compact(cluster_id) + struct.pack(">i", node_id) + b"\0"
    host, port = servers.split(":")
    with socket.create_connection((host, int(port))) as connection, connection.makefile("rb") as answers:
        connection.sendall(struct.pack(">i", len(header + body)) + header + body)
        (size,) = struct.unpack(">i", answers.read(4))
        _, error = struct.unpack(">ih", answers.read(size)[:6])
    return error


for told, cluster_id, node_id in (
    ("nothing", None, -1),
    ("this cluster, node 1", cluster, 1),
    ("this cluster, node 2", cluster, 2),
    ("another cluster, node 1", "another", 1),
    ("this cluster, no node", cluster, -1),
    ("no cluster, node 1", None, 1),
):
    print(f"{told}: {error_of(cluster_id, node_id)}")
PY
