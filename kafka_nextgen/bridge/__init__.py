"""Messages to events, effects, requests and records, and back: pure, one file per API."""
