"""The client's half of the consumer group protocol, as a machine without I/O."""
