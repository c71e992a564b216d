"""Importing the library is quiet, also for whoever makes every warning an error."""

from __future__ import annotations

import subprocess
import sys


def test_the_import_warns_of_nothing() -> None:
    program = "import kafka_nextgen, kafka_nextgen.broker, kafka_nextgen.testing, kafka_nextgen.cli.main"
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60)


def test_what_the_application_says_about_warnings_stays_in_force() -> None:
    program = "import warnings as w; before = w.filters[:]; import kafka_nextgen; assert w.filters[:] == before"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
