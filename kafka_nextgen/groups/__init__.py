"""Values of consumer groups that client, administration and coordinator share."""
