"""Probes the engines and writes what they say as the tables in `verified_tok/tables`.

`python -m spec.tables write` makes the tables, `python -m spec.tables check` probes again and compares.
"""
