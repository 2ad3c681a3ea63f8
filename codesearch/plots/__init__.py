"""Plots: drawings of a trace, every number of which stands in a table beside it.

Geometry only; the templates draw it with classes and attributes, so that a page
needs neither a style nor a script.
"""
