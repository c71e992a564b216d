"""The ways to read, one file for each library, so that a process imports the one that it measures.

A reader makes a consumer, tells the gauge that it begins, assigns all partitions from their beginning, and looks at
every record (``value`` and ``offset``, or the table) until it has them all.
"""
