"""Bytes to messages and back: Kafka's schemas, frames, record batches."""

from kafka_nextgen.kafka_python import postpone_clients

postpone_clients()
