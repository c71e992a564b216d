"""Faults for tests: errors, delays, lost requests and failures of a cluster, at a request that the test selects.

``Cluster.fault`` creates them, and ``kafka-nextgen broker --faults`` reads them from a file. ``registry`` decides which
faults a request meets. ``injected_errors``, ``kinds``, ``changes`` and ``corrupt_batches`` say what each does, and
``places`` where an error code stands in the answer of each API.
"""
