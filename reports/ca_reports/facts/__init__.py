"""Prepares the events of a process for the rules, once."""
