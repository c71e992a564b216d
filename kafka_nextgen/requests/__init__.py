"""The client side of each API: builds requests and reads responses into events and values. No I/O; one file per API.

``kafka_nextgen.testing.messages`` is the broker's side.
"""
