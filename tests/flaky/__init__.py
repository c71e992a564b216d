"""Finds tests that fail now and then: runs them again and again beside busy processes. See docs/develop/testing.md."""
