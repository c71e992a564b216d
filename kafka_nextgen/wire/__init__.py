"""Bytes to messages and back: Kafka's schemas, frames, record batches."""
