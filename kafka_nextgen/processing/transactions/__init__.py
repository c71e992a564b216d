"""The method ``run_in_transactions`` of ``Consumer``: read, transform and write, each record exactly once.

``backlog`` keeps the records that are not committed yet. ``transforming`` calls the handler. ``transaction_runner``
polls, and writes the results and the offsets in one transaction. ``producers`` is the interface to the producers of
other clients; ``confluent_producer`` and ``kafka_python_producer`` implement it.
"""
