"""Consumer group types shared by the client, the admin client and the coordinator."""
