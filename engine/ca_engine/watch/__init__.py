"""Which of the user's lines changed what a failed guard reads. Standard library only."""
