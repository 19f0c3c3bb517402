"""Effects of a batch's padding on a graph's results, or on a loss."""
