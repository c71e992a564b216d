"""The package is whole without OpenTelemetry; only what needs it says so."""

from __future__ import annotations

import subprocess
import sys

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "opentelemetry":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import kafka_nextgen
kafka_nextgen.Hooks()
try:
    import kafka_nextgen.opentelemetry
except ImportError as error:
    print(error)
"""


def test_the_extra_is_named_by_whoever_needs_it() -> None:
    said = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=60, check=True)
    assert "kafka-nextgen[opentelemetry]" in said.stdout
