"""Workers that write results exactly once are killed at random points: docs/develop/exactly-once.md."""
