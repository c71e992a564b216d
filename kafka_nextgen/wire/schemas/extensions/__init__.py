"""The messages of APIs that Apache Kafka never shipped, in Kafka's own schema format, one file per message."""
