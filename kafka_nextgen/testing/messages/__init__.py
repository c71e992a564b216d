"""The broker's half of each API: requests to those of the coordinator, its answers to responses. Pure, one file per API.

``kafka_nextgen.requests`` is the client's half.
"""
