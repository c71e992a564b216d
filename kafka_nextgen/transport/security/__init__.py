"""Security of connections: TLS authenticates the brokers, SASL this client."""
