"""The Lean toolchain of the project: `python -m spec.lean check|watch|goal|axioms`.

Reading order: `project` (what is checked), `modules` and `source_rules` (what the sources may say),
`fetch`, `prepare_wasm`, `prepare_script` and `toolchain` (a Lean that runs anywhere), `check` (Lean's
verdict on every file), `olean` and `audit` (what the compiled theorems rest on), `report` (all of it
together), `lake` (the same by the stock toolchain), `worker` and `watch` (the developer's loop).
"""
