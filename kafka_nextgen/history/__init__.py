"""A consumer group's history: an event log, how it is written and read, and the facts that follow from it.

Members, coordinators and pollers write events (``events.py``) as flat JSON lines (``json_lines.py``) through a sink
(``queued_sink.py``, ``file_sink.py``). ``log_reader.py`` reads logs that may be torn or mixed. ``clock_alignment.py``
corrects the clocks of several hosts, and ``ordering.py`` picks the best source of each event and sorts them.
``folding.py`` processes the events of one group in order and yields facts (``facts.py``): rebalances, pauses of
partitions, overlaps and more. Nothing here needs Spark; ``kafka_nextgen.spark.history`` runs the same functions on a
cluster.
"""
