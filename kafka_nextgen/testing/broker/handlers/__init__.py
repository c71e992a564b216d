"""One function for each API: it takes the request and its ``Context`` and returns the response.

It returns None if no response is to be sent. Small, related APIs share a module. The table of all APIs is
``kafka_nextgen.testing.broker.apis``.
"""
