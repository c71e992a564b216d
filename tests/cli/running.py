"""The command line as a user has it: another process."""

from __future__ import annotations

import subprocess
import sys

__all__ = ["COMMAND", "kafka_nextgen"]

COMMAND = (sys.executable, "-c", "from kafka_nextgen.cli.main import main; main()")


def kafka_nextgen(*arguments: str, stdin: str | bytes = b"", timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run([*COMMAND, *arguments], input=data, capture_output=True, timeout=timeout_s, check=False)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
