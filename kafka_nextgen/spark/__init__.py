"""A Spark data source for Kafka, ``format("kafka_nextgen")``: options, offsets, planning. Imports no pyspark."""
