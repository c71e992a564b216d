"""Tests of an application, timed."""
