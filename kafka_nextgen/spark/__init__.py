"""What a Spark data source for Kafka needs of options, offsets and planning. Imports no pyspark."""
