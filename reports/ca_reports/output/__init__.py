"""One module per format: a `Run` in, text out."""
