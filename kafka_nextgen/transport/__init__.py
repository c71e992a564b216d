"""Sockets, connections and metadata, on asyncio."""
