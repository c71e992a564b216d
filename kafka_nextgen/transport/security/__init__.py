"""Proving who the brokers are, by TLS, and who we are, by SASL, on every connection a client opens."""
