"""Tests that search: campaigns which run for minutes or hours, and the machinery that they share with shorter tests."""
