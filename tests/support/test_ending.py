"""A command of the tests that is told to end stops what it has started."""

from __future__ import annotations

import signal
import subprocess
import sys

COMMAND = """
import time
from tests.support.ending import end_at_sigterm
end_at_sigterm()
try:
    print("running", flush=True)
    time.sleep(60)
finally:
    print("stopped", flush=True)
"""


def test_sigterm_lets_a_command_stop_what_it_has_started() -> None:
    with subprocess.Popen([sys.executable, "-c", COMMAND], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"running\n"
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=60)[0] == b"stopped\n"
