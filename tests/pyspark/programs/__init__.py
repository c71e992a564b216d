"""Random Spark programs that use DataFrames more than once, with both sources: ``python -m tests.pyspark.programs``."""
