"""Finds what to change in a program or a configuration of another client: confluent-kafka, kafka-python or aiokafka.

The tables are data: ``confluent_kafka_calls``, ``kafka_python_calls`` and ``aiokafka_calls`` have a row for each call,
``defaults`` the defaults that differ; the tables of keys are in ``kafka_nextgen.other_clients``. The guides in
``docs/migrating`` show them, and the command ``kafka-nextgen migrate`` prints the rows that a file needs: ``programs``
reads Python, by its syntax tree, and ``properties_files`` reads files of keys. They do not run the program or change
any file.
"""
