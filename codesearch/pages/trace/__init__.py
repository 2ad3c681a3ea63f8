"""The trace page: where each target went, in words, counts and tables.

One module for each section of the page; all that they say is in the payload.
"""
