"""From a captured graph to the backend without tracing it again.

After a capture, ``compiler_fn`` hands the graph to Dynamo, which traces the Python code of a
graph that we have just built, and AOTAutograd, which traces it once more down to ATen. Nine
tenths of a recompile go into that. Where it is exact, the graph takes a shorter way down:

    recognise    which backend the compiler function stands for, by identity
    direct       backend ``eager``: the captured code runs as it is
    lowered      decides at a graph's first run, checks guards, falls back, records

What can't be exact is refused, with a reason that is recorded, and goes the ordinary way: what
``compiler_fn`` returned runs as if this package did not exist. docs/engine.md has the conditions.
"""
