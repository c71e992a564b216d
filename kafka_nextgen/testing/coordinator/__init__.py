"""The broker's half of the consumer group protocol, as a state machine without I/O."""
