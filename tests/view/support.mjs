// Helpers of the viewer's tests: run programs, read pages.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export const build = process.env.KUGEL_BUILD;
const folder = mkdtempSync(join(tmpdir(), 'kugel-view-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
export const fileFor = (name) => join(folder, name);

// Writes a scene with these keys. Returns its file.
export function makeScene(name, keys) {
    const file = fileFor(`${name}.json`);
    writeFileSync(file, JSON.stringify({ format: 'kugel-scene', version: 1, ...keys }));
    return file;
}

// Runs a sample or scene file, records it, makes its page. Returns the page's path and the words of kugel-run's output.
export function makePage(scene, ...options) {
    const name = basename(scene, '.json'), recording = fileFor(`${name}.kugel`), page = fileFor(`${name}.html`);
    const text = execFileSync(join(build, 'samples/kugel-run'), [scene, '--quiet', '--record', recording, ...options], { encoding: 'utf8' });
    execFileSync(join(build, 'tools/replay/kugel-replay'), ['view', recording, '-o', page]);
    return { page, recording, printed: Object.fromEntries(text.trim().split('\n').map((line) => [line.split(' ')[0], line.split(' ').slice(1)])) };
}

// The bytes of a base64 script element of the page.
export function bytesIn(page, id) {
    const found = readFileSync(page, 'utf8').match(new RegExp(`<script type="text/plain" id="${id}">([^<]*)</script>`));
    if (!found) throw new Error(`${page} has no ${id}`);
    return new Uint8Array(Buffer.from(found[1], 'base64'));
}

// The engine's module, which the page holds compressed.
export const engineIn = (page) => gunzipSync(bytesIn(page, 'engine'));

export const skip = (why) => {
    console.log(`skipped: ${why}`);
    process.exit(77);
};
