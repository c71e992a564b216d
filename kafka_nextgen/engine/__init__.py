"""The engine of a consumer: its I/O thread, which drives the membership and the fetches."""
