"""A Kafka cluster inside the test's own process."""
