"""Requests that fit their schemas and make little sense, sent to the embedded broker."""
