"""The pytest plugin: ``pytest --ca``, the fixture ``ca_record``, the marker ``ca``.

Between the engine, which records, and the reports, which explain; neither knows of it.
"""
