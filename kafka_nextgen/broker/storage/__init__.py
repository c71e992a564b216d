"""What outlives the broker: topics, logs and everything else it was told, in files under ``data_dir``.

    DIR/.lock                              held by the process that uses the directory
    DIR/catalogue.log                      what there is: topics, settings, ids (``catalogue.py``)
    DIR/orders-0/partition.metadata        which topic the directory belongs to, by its id, as Kafka writes it
    DIR/orders-0/00000000000000000000.log  record batches as they were appended, in Kafka's own format
    DIR/orders-0/log-start-offset          where the log begins, if no segment's name says so

What the catalogue says there is, is there; a directory it does not know is a leftover of a creation or deletion
that a crash cut short, and goes. So one line of one file decides whether a topic exists, and nothing has two halves.

Everything is written before it is answered, with one ``write`` for a batch: what was acknowledged survives the
death of the process at any moment. It survives a power failure only if it was flushed as well, which is so for what
the catalogue has of topics and configuration, and for batches, the state of groups among them, every
``log.flush.interval.messages``. A file that ends in anything but a whole, correct batch is cut after the last that is:
a batch that was not written whole was not acknowledged. Nothing behind a cut is kept.
"""

from __future__ import annotations

from kafka_nextgen.broker.storage.catalogue import Catalogue
from kafka_nextgen.broker.storage.data_dir import DataDir, Storage
from kafka_nextgen.broker.storage.memory_batches import MemoryBatches
from kafka_nextgen.broker.storage.segments import BatchStore

__all__ = ["BatchStore", "Catalogue", "DataDir", "MemoryBatches", "Storage"]
