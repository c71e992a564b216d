"""One file per API key: how the broker answers it."""
