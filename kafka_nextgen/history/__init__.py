"""What happened to a group, as an event log: how it is written, read, and asked.

Members, coordinators and pollers write events (``events.py``), as flat JSON lines (``lines.py``). ``reading.py`` reads
logs that may be torn or mixed. ``alignment.py`` puts the clocks of several hosts right and ``selection.py`` takes each
fact from the source that knows it best. ``folding.py`` goes over the events of one group in order and gives out facts
(``facts.py``): rebalances, standstills, overlaps, and more. Nothing here needs Spark; ``kafka_nextgen.spark.history``
runs the same functions on a cluster.
"""
