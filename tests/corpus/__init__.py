"""Realistic training programs, what is wrong with each, and how often `ca` says so.

`programs/`, `programs.json.zst` (see `packed`), `reports/` and `unseen/` hold one folder for
each program, with a `truth.toml` that was written before `ca` saw it, by someone who had not read
the rules. `truth` reads it, `count` lets torch count what happened, `score` compares what `ca` says
with the truth. Who writes or tunes a rule reads what is seen: `unseen/` shows whether a rule knows
its cause or just these programs.
"""
