"""Programs whose batches have different sizes, for `benchmarks.plans`."""
