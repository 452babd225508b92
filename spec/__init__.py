"""The bridge between the Lean specification in `lean/` and the Python in `verified_tok/`."""
