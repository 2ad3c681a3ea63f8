"""Experiments: each finding the product is built on, run on a repository in reach."""
