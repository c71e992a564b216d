"""Faults for tests: errors, delays, lost requests and failures of a cluster, at a request that the test selects.

``Cluster.fault`` creates them, and ``kafka-nextgen broker --faults`` reads them from a file. ``registry`` decides which
faults apply to a request. ``injected_errors``, ``kinds``, ``changes`` and ``corrupt_batches`` implement the faults, and
``places`` where the answer of each API has an error code.
"""
