"""Keep the history of all groups of a cluster: its __consumer_offsets, as a stream, into a dataset.

python examples/history_stream.py --dataset /data/history --checkpoint /data/history-checkpoint

The topic is compacted, so what happened is there for a while only. Keep this running, or run it --once now and then.
"""

from __future__ import annotations

from uuid import UUID

import click
from local_spark import spark_session

from kafka_nextgen import Consumer
from kafka_nextgen.admin import GroupAdmin
from kafka_nextgen.spark.history import stream_offsets_topic


@click.command()
@click.option("-b", "--bootstrap-servers", default="localhost:9092", show_default=True, help="host:port,...")
@click.option("--dataset", required=True, help="The directory of the dataset, also s3a://... and the like.")
@click.option("--checkpoint", required=True, help="The directory of the query's checkpoint.")
@click.option("--once", is_flag=True, help="End when all that is there now is done.")
def main(bootstrap_servers: str, dataset: str, checkpoint: str, once: bool) -> None:
    """Keep the history of all groups of a cluster."""
    with (
        spark_session("history") as spark,
        Consumer(bootstrap_servers=bootstrap_servers) as consumer,
        GroupAdmin(bootstrap_servers=bootstrap_servers) as admin,
    ):

        def topics() -> dict[UUID, str]:
            """Return the names of all topics: the records of groups have their ids."""
            found = consumer.describe_topics().values()
            return {topic.topic_id: topic.name for topic in found if topic.topic_id is not None}

        records = (
            spark.readStream.format("kafka_nextgen")
            .option("kafka.bootstrap.servers", bootstrap_servers)
            .option("subscribe", "__consumer_offsets")
            .option("startingOffsets", "earliest")
            .option("kafka.isolation.level", "read_committed")
            .load()
        )
        cluster = admin.cluster_id() or ""
        query = stream_offsets_topic(records, dataset, checkpoint, cluster=cluster, topics=topics, available_now=once)
        query.awaitTermination()


if __name__ == "__main__":
    main()
