"""A Python consumer for Apache Kafka's next-generation consumer group protocol (KIP-848)."""
