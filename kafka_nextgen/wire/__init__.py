"""Encodes and decodes Kafka's wire format: message schemas, frames, record batches."""
