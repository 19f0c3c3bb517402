"""What the rules look at: the events of a process, prepared once."""
