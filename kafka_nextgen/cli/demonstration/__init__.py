"""The demonstration: a real stream, three consumers that join and leave, and a proof that they processed all records.

Read ``scenario`` first, ``worker_process`` and ``worker`` for a consumer from both sides, ``ledger`` for the proof.
"""
