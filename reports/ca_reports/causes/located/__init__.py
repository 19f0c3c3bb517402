"""What a program's source says of a finding: the line to edit, and what its values are used for.

Rules choose from here (`Rule.place`, `Rule.remedy`). A finding knows where its cause showed: the
call of backward, at best the operation of the forward. A search goes from there to the line that
the advice edits: the `if` above the operation, the `DataLoader(…)` that made the batches.
"""
