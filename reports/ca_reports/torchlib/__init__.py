"""Tables about torch and what is built on it, each fact once."""
