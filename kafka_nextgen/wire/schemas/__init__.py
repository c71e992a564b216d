"""Schemas of ours, in Kafka's own format, for what kafka-python's set lacks."""
