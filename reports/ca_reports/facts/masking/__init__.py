"""Whether what a batch is padded with has an effect: on a graph's results, or on a loss."""
