"""The command line: kafka-nextgen."""
