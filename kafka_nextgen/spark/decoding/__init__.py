"""Decode keys and values in tasks to columns with Spark's types (``valueFormat`` and ``keyFormat``)."""
