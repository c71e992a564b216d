"""Workers that write results exactly once are killed at random points: docs/proof/exactly-once.md."""
