"""One module per command; each only checks arguments and calls what does the work."""
