"""Audits: a set of cases asked as a job, its rows kept, read, compared, exported."""
