"""What a pipeline asks: budgets, baselines, and how two runs differ."""
