"""The client side of the consumer group protocols, as state machines without I/O."""
