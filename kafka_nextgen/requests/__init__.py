"""The client's half of each API: effects and calls to requests, responses to events and values. Pure, one file per API.

``kafka_nextgen.testing.messages`` is the broker's half.
"""
