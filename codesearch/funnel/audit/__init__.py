"""Audit: what a set of queries found at every stage, counted. Pure."""
