"""Presenters: from a payload of the services to what a template prints.

Pure functions apart from `frame`. Every number that they give is in the payload.
"""
