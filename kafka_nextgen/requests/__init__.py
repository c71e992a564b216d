"""The client's half of each API: what it asks as messages, and messages as events and values. Pure, one file per API.

``kafka_nextgen.testing.messages`` is the broker's half.
"""
