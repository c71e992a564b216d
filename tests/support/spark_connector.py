"""The jars of Spark's built-in Kafka source, which PySpark does not come with.

The connector runs on a Spark that is newer than itself. What else it depends on, Scala and the compression libraries
for instance, Spark brings along.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.support.maven_jars import Artifact, fetch_artifacts

CONNECTOR_VERSION = "4.2.0"

_SPARK = "org.apache.spark"
_ARTIFACTS = (
    Artifact(_SPARK, "spark-sql-kafka-0-10_2.13", CONNECTOR_VERSION, alone=True),
    Artifact(_SPARK, "spark-token-provider-kafka-0-10_2.13", "4.0.0", alone=True),
    Artifact("org.apache.kafka", "kafka-clients", "3.9.2", alone=True),
    Artifact("org.apache.commons", "commons-pool2", "2.13.1", alone=True),
)


def spark_connector_jars() -> Sequence[str]:
    """Return the paths of the jars, for ``spark.jars``, fetched by Maven if they are not there yet.

    Raises ``NoKafkaError`` if Maven is missing or fails.
    """
    folder = fetch_artifacts(f"spark-connector-{CONNECTOR_VERSION}", _ARTIFACTS)
    return sorted(str(jar) for jar in folder.glob("*.jar"))


def spark_avro_jars() -> Sequence[str]:
    """Return the paths of the jars of ``from_avro``, likewise; PySpark does not come with them either."""
    artifact = Artifact(_SPARK, "spark-avro_2.13", CONNECTOR_VERSION, alone=True)
    folder = fetch_artifacts(f"spark-avro-{CONNECTOR_VERSION}", [artifact])
    return sorted(str(jar) for jar in folder.glob("*.jar"))
