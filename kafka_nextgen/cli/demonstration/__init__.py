"""The demonstration: a real stream, three consumers that come and go, and a proof of what they processed.

Read ``scenario`` first, ``worker_process`` and ``worker`` for a consumer from both sides, ``ledger`` for the proof.
"""
