"""The broker's half of each API: messages to requests of the coordinator, its answers to messages. One file per API.

``kafka_nextgen.requests`` is the client's half.
"""
