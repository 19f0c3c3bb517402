"""The user's source as syntax: the only place that is to know a tree's shape."""
