"""The same of what no release of Kafka has."""
