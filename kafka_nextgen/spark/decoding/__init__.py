"""Decode keys and values in tasks, to columns of Spark's types (``valueFormat`` and ``keyFormat``)."""
