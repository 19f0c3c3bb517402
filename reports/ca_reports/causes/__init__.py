"""Findings: what matches, and which line it comes from."""
