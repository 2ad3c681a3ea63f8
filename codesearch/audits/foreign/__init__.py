"""Foreign: the runs of another retrieval system, read and audited without an index."""
