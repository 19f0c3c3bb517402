"""Callbacks that name steps, epochs and phases, a module for each training library.

Each imports its library, so none is imported here.
"""
