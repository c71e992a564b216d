"""Our broker as a process of its own: it tells where it listens and runs until its stdin ends."""

from __future__ import annotations

import sys

from kafka_nextgen.testing import Cluster


def main() -> None:
    with Cluster() as cluster:
        print(cluster.bootstrap_servers, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
