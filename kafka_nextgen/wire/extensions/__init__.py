"""The fields that extensions add to messages and records, shared by client and broker."""
