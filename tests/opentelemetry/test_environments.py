"""Without OpenTelemetry, or before it is set up: the package is whole, and nothing is lost."""

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
    said = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert "kafka-nextgen[opentelemetry]" in said.stdout


#: The global provider can be set once in a process.
BEFORE_THE_SDK = """
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from kafka_nextgen import Consumer
from kafka_nextgen.opentelemetry import instrument
consumers = [Consumer(bootstrap_servers="127.0.0.1:9", group_id="g") for _ in range(3)]
reader = InMemoryMetricReader()
provider = MeterProvider([reader])
instrument(consumers[0])
metrics.set_meter_provider(provider)
instrument(consumers[1])
instrument(consumers[2], meter_provider=provider)
for resource in reader.get_metrics_data().resource_metrics:
    for scope in resource.scope_metrics:
        for metric in scope.metrics:
            if metric.name == "kafka.consumer.poll_total":
                print(sorted(point.attributes["messaging.client.id"] for point in metric.data.data_points))
for consumer in consumers:
    consumer.close(0)
"""


def test_a_consumer_may_be_instrumented_before_the_sdk_is_set_up() -> None:
    said = subprocess.run([sys.executable, "-c", BEFORE_THE_SDK], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["['kafka-nextgen', 'kafka-nextgen-2', 'kafka-nextgen-3']"]
    assert "conflict" not in said.stderr
