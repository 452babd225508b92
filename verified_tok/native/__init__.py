"""From tokenizers as data to the tables of the native core."""
