"""Bytes that no honest peer sends, against every decoder there is: ``python -m tests.verification.fuzz --help``."""
