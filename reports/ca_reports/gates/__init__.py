"""Gates for pipelines: budgets and baselines."""
