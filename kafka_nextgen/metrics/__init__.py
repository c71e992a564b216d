"""The metrics of consumers and group coordinators: their values, and Kafka's names for them.

Nothing here counts by itself. The code that does the work keeps plain numbers (``Timings`` for durations); one thread
writes them and any thread may read them. ``Metrics`` is a snapshot of them.
"""
