"""Our assignors and Kafka's own, on the same groups, in turns."""
