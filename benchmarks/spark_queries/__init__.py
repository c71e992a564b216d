"""Spark reading Kafka: by its built-in source, by ours, and from batches that are ready."""
