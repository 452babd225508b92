"""Hypothesis strategies for text that tokenizers stumble over."""

from __future__ import annotations

from hypothesis import strategies as st

ATOMS = [
    *"aZeIstSTlLmMdDvVrRkK",
    *"éßжЖςЪ中文一龥ࠀ가\ud7ffあア゠ー한",
    *"0159٣²½ⅧⅯ一〇௧",
    *" \t\n\r\v\f\x00\x1c\x1f\x7f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\u200b\ufeff",
    *"'’‘\"!.,;:-_/\\()[]{}<|>$%+#@^&~`*?=，。、！～",
    *"\u0301\u0323\u0897\u093f\u200d\ufe0f\u20e3\U0001f3fd",
    *"😀👩ᵃǅªſ\u212aßẞﬀﬁﬂﬅﬆİı\ua7ce\U000323b0\U0010ffff\ue000",
    *["'s", "'LL", "'re", "'Ve", "’s", "'ſ", "\r\n", "\n\n", " \n", "  ", "   ", "123", "00000"],
    *["Hello", " world", "letMe", "don't", "HTTPServer", "e\u0301", "👩‍💻", "中 文", "\n  \n"],
]
"""Characters and short strings that the known patterns treat differently, or that engines disagree about."""


def text(max_atoms: int = 14) -> st.SearchStrategy[str]:
    """Strings of hostile atoms, with a few arbitrary characters among them."""
    atom = st.one_of(st.sampled_from(ATOMS), st.sampled_from(ATOMS), st.characters(exclude_categories=["Cs"]))
    return st.lists(atom, max_size=max_atoms).map("".join)
