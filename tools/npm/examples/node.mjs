// main.mjs and worker.mjs under node, whose workers have the same messages by other names.
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

if (isMainThread) {
    globalThis.Worker = class extends Worker {
        constructor() { super(new URL(import.meta.url)); } // this file again
        addEventListener(type, listener) { this.on(type, (data) => listener({ data })); }
    };
    await import('./main.mjs');
} else {
    globalThis.self = parentPort;
    await import('./worker.mjs');
}
