"""The verbs of ``docs/internals/scenarios.md``, a small group in each file: what a command does, and what it tells."""
