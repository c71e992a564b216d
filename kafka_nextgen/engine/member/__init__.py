"""What drives a member of a group: its requests, its callbacks, the topics it subscribes to."""
