"""The chat formats that the kit knows by name, a value each. `formats.md`, beside this folder, lists where
they differ from the published templates, and why."""
