"""A short run of `ca try` or `ca fix --verify`: where it stops, and what is compared."""
