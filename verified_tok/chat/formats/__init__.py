"""The chat formats that the kit knows by name, a value each; `chat.formats.page` lists where they differ from
the published templates."""
