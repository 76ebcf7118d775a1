// Run a WebAssembly program that needs WASI. usage: node run-wasm.mjs PROGRAM [ARGUMENTS]
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';
const [, , program, ...rest] = process.argv;
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], returnOnExit: true });
const module = await WebAssembly.compile(readFileSync(program));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
