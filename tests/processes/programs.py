"""Programs of an application, each run as a process of its own until it ends by itself."""

from __future__ import annotations

import subprocess
import sys

from tests.support.waiting import GUARD_S

#: Defines ``read(group)``, which reads what there is of the topic ``orders``, commits, and says what was committed.
#: A busy machine may keep it from a broker for as long as makes ``poll`` raise, and the library from being silent.
READS = """
import logging, sys
from contextlib import suppress
from kafka_nextgen import Consumer, NoBrokersError
logging.getLogger("kafka_nextgen").setLevel(logging.ERROR)

def read(group, records=20):
    config = {"bootstrap.servers": sys.argv[1], "group.id": group, "auto.offset.reset": "earliest"}
    with Consumer(config, enable_auto_commit=False) as consumer:
        consumer.subscribe(["orders"])
        while records > 0:
            with suppress(NoBrokersError):
                records -= len(consumer.poll())
        consumer.commit()
        (committed,) = consumer.committed(consumer.assignment()).values()
        print(group, committed.offset, flush=True)
"""


def run(program: str, servers: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program, with ``servers`` as its argument and options for Python."""
    command = [sys.executable, "-X", "faulthandler", *options, "-c", program, servers]
    return subprocess.run(command, capture_output=True, text=True, timeout=GUARD_S, check=False)
