"""The verbs of ``docs/develop/scenarios.md``, a small group in each file: what a command does, and what it tells."""
