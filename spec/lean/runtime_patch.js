// Added to the package's lean.js by prepare_script.py, which also writes `tableIndex`: the place of each C function that
// is called here in the function table. The other names are those of Emscripten's runtime.

var symbolTable;

// dlsym: the interpreter looks for compiled functions and constants by name, in a file instead of 201,110 exports.
function lookUpSymbol(handle, symbolAddress) {
  const symbol = UTF8ToString(symbolAddress);
  if (!symbolTable) {
    symbolTable = new Map();
    for (const line of fs.readFileSync(scriptDirectory + "symbols.tsv", "latin1").split("\n")) {
      const tab = line.indexOf("\t");
      if (tab > 0) symbolTable.set(line.slice(0, tab), Number(line.slice(tab + 1)));
    }
  }
  const value = symbolTable.get(symbol);
  if (value === undefined) {
    dlSetError(`unknown symbol "${symbol}"`);
    return 0;
  }
  return value;
}

// The memory as 32-bit words; it may have grown since it was last looked at.
function memoryWords() {
  growMemViews();
  return HEAPU32;
}

function callTable(name, ...args) {
  return getWasmTableEntry(tableIndex[name])(...args);
}

// Every directory of the root is visible, not the two that the package mounts.
function mountFileSystem() {
  for (const entry of fs.readdirSync("/")) {
    if (["dev", "proc", "sys"].includes(entry)) continue;
    try {
      if (!fs.statSync("/" + entry).isDirectory()) continue;
      try { FS.mkdir("/" + entry); } catch { /* Emscripten has some of its own */ }
      FS.mount(NODEFS, { root: "/" + entry }, "/" + entry);
    } catch { /* a directory that may not be read stays invisible */ }
  }
  FS.chdir(process.cwd());
}

// Runs main in a thread of its own: Node's event loop must stay free to start and recycle threads.
function startMainThread(args) {
  mountFileSystem();
  args.unshift(thisProgram);
  const argv = _malloc((args.length + 1) * 4);
  args.forEach((arg, i) => {
    const size = lengthBytesUTF8(arg) + 1;
    const text = _malloc(size);
    stringToUTF8(arg, text, size);
    memoryWords()[(argv >> 2) + i] = text;
  });
  memoryWords()[(argv >> 2) + args.length] = 0;

  const state = _malloc(256); // argc, argv, the thread's identity, and from byte 64 on its attributes
  const thread = state + 8, attributes = state + 64, stackBytes = 32 << 20;
  memoryWords()[state >> 2] = args.length;
  memoryWords()[(state >> 2) + 1] = argv;
  callTable("pthread_attr_init", attributes);
  callTable("pthread_attr_setstacksize", attributes, stackBytes);
  setInterval(() => {}, 1e8); // keeps the event loop alive
  const failure = callTable("pthread_create", thread, attributes, tableIndex.__main_argc_argv, state);
  if (failure) throw new Error("pthread_create: " + failure);
  noExitRuntime = true;
}

// The body of that thread; the main thread ends the process when it is told the status.
function runMain(state) {
  noExitRuntime = true;
  const words = memoryWords();
  let status;
  try {
    status = callTable("__main_argc_argv", words[state >> 2], words[(state >> 2) + 1]);
  } catch (exception) {
    if (exception === "unwind") return;
    if (!(exception instanceof ExitStatus)) throw exception;
    status = exception.status;
  }
  callTable("fflush", 0);
  postMessage({ cmd: "mainEnded", status });
}

// An ended thread gives its allocator's heap back: else 4 MB leak each time, and a long-lived worker fills its 2 GB.
function freeThreadHeap() {
  callTable("mi_collect", 1);
  callTable("mi_thread_done");
}

// Each thread writes to standard output and standard error itself: `lean --worker` speaks over them.
function writeHere(descriptor, buffers, count, writtenAddress) {
  let written = 0;
  for (let i = 0; i < count; i++) {
    const address = memoryWords()[(buffers + 8 * i) >> 2];
    const length = HEAPU32[(buffers + 8 * i + 4) >> 2];
    const bytes = Buffer.from(HEAPU8.slice(address, address + length));
    let done = 0;
    while (done < length) {
      try {
        done += fs.writeSync(descriptor, bytes, done);
      } catch (error) {
        if (error.code !== "EAGAIN") throw error;
      }
    }
    written += length;
  }
  memoryWords()[writtenAddress >> 2] = written;
  return 0;
}

// And each reads standard input itself; a pipe that has nothing yet is asked again.
function readHere(buffers, count, readAddress) {
  for (let i = 0; i < count; i++) {
    const address = memoryWords()[(buffers + 8 * i) >> 2];
    const length = HEAPU32[(buffers + 8 * i + 4) >> 2];
    if (length === 0) continue;
    const bytes = Buffer.alloc(Math.min(length, 65536));
    const size = readBytes(bytes);
    growMemViews();
    HEAPU8.set(bytes.subarray(0, size), address);
    HEAPU32[readAddress >> 2] = size;
    return 0;
  }
  memoryWords()[readAddress >> 2] = 0;
  return 0;
}

function readBytes(bytes) {
  for (;;) {
    try {
      return fs.readSync(0, bytes, 0, bytes.length, null);
    } catch (error) {
      if (error.code === "EOF") return 0;
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
