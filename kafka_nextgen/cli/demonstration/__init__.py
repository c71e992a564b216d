"""The demonstration: a real stream, three consumers that come and go, and a proof of what they processed.

Read ``run`` for the story, ``member`` and ``worker`` for a consumer from both sides, ``ledger`` for the proof.
"""
