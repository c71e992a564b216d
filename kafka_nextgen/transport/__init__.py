"""Sockets, connections, metadata and the way to each broker, on asyncio."""
