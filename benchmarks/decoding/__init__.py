"""Reading typed values of a topic into Arrow tables, by several clients and decoders."""
