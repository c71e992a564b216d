"""Finds tests that fail now and then: runs them again and again beside busy processes: docs/internals/testing.md."""
