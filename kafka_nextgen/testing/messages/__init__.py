"""The broker's half of each API: converts messages to coordinator requests, and answers to messages. One file per API.

``kafka_nextgen.requests`` is the client's half.
"""
