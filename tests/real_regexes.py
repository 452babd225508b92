"""The regular expressions of real tokenizers: those of `tokenizer.json` files and those for tiktoken."""

from __future__ import annotations

_SPACE = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_NOT_WORD = r"[^\r\n\p{L}\p{N}]"
_OTHER = r" ?[^\s\p{L}\p{N}]+[\r\n"

_CASED_LETTERS = (
    "A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-"
    "\u1f7dᾀ-ᾴᾶ-ᾼ\u1fbeῂ-ῄῆ-ῌῐ-\u1fd3ῖ-\u1fdbῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\u2126ℨ\u212a-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳ"
    "Ꙁ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃"
)

OF_FILES: dict[str, str] = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "llama3": rf"{_CONTRACTION}|{_NOT_WORD}?\p{{L}}+|\p{{N}}{{1,3}}|{_OTHER}]*|{_SPACE}",
    "qwen2": rf"{_CONTRACTION}|{_NOT_WORD}?\p{{L}}+|\p{{N}}|{_OTHER}]*|{_SPACE}",
    "qwen3.5": rf"{_CONTRACTION}|{_NOT_WORD}?[\p{{L}}\p{{M}}]+|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACE}",
    "o200k": rf"{_NOT_WORD}?[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}?"
    rf"|{_NOT_WORD}?[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}?|\p{{N}}{{1,3}}|{_OTHER}/]*|{_SPACE}",
    "tekken": rf"{_NOT_WORD}?[{_UPPER}]*[{_LOWER}]+|{_NOT_WORD}?[{_UPPER}]+[{_LOWER}]*|\p{{N}}"
    rf"|{_OTHER}/]*|{_SPACE}",
    "kimi": rf"[\p{{Han}}]+|{_NOT_WORD}?[{_UPPER}&&[^\p{{Han}}]]*[{_LOWER}&&[^\p{{Han}}]]+{_CONTRACTION}?"
    rf"|{_NOT_WORD}?[{_UPPER}&&[^\p{{Han}}]]+[{_LOWER}&&[^\p{{Han}}]]*{_CONTRACTION}?"
    rf"|\p{{N}}{{1,3}}|{_OTHER}]*|{_SPACE}",
    "deepseek v3, 1": r"\p{N}{1,3}",
    "deepseek v3, 2": "[一-龥\u3040-ゟ゠-ヿ]+",
    "deepseek v3, 3": "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
    "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
    "deepseek llm, 1": "[\r\n]",
    "deepseek llm, 2": rf"\s?[{_CASED_LETTERS}]+",
    "deepseek llm, 3": "\\s?[!-/:-~！-／：-～‘-‟\u3000-。]+",
    "deepseek llm, 4": r"\s+$",
    "deepseek llm, 5": "[一-龥ࠀ-一가-\ud7ff]+",
    "deepseek coder, 2": r"\s?\p{L}+",
    "deepseek coder, 3": r"\s?\p{P}+",
    "falcon": "[0-9][0-9][0-9]",
    "bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "spaces": " {2,}",
}
"""Regexes of `tokenizer.json` files (and GPT-2's, which its `ByteLevel` stage has built in)."""

OF_TIKTOKEN: dict[str, str] = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    "cl100k": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "o200k": OF_FILES["o200k"],
    "qwen2": OF_FILES["qwen2"],
    "tekken": OF_FILES["tekken"],
    "kimi": OF_FILES["kimi"],
}
"""Regexes for tiktoken."""
