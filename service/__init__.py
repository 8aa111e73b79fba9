"""The HTTP interface of mlsysim: it parses, calls the engine, and returns."""
