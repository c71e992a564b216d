"""Persistence: topics, logs, configuration and the other state of a broker, in files under ``data_dir``.

    DIR/.lock                              held by the process that uses the directory
    DIR/catalogue.log                      topics, settings, ids (``catalogue.py``)
    DIR/orders-0/partition.metadata        the id of the topic the directory belongs to, as Kafka writes it
    DIR/orders-0/00000000000000000000.log  record batches as they were appended, in Kafka's own format
    DIR/orders-0/log-start-offset          the log start offset, if no segment's name gives it

The catalogue decides which topics exist: creating or deleting one writes a single line. A directory that is not in the
catalogue is left over from an interrupted creation or deletion, and is deleted.

Every change is written before the response is sent (a batch with a single ``write``), so a crash of the process does
not lose acknowledged data. A power failure can lose data until it is flushed: topics and configuration are flushed
immediately, batches (which include the state of groups) every ``log.flush.interval.messages``. A file is truncated
after its last whole, correct batch, since an incomplete batch was never acknowledged. Nothing after that point is kept.
"""

from __future__ import annotations

from kafka_nextgen.testing.broker.storage.catalogue import Catalogue
from kafka_nextgen.testing.broker.storage.data_dir import DataDir, Storage
from kafka_nextgen.testing.broker.storage.memory_batches import MemoryBatches
from kafka_nextgen.testing.broker.storage.segments import BatchStore

__all__ = ["BatchStore", "Catalogue", "DataDir", "MemoryBatches", "Storage"]
