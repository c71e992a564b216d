"""One file per API: what it is, then from the request through the domain to the response.

A handler takes the request and its ``Context`` and returns the response, or None where none is to be sent. The
table of them all is ``kafka_nextgen.broker.apis``.
"""
