"""The reference: small, slow, plain Python that mirrors the Lean specification name by name."""
