// The package under node: as index.mjs, and load reads files, which fetch does not. Bundlers for browsers never resolve this file.

import { readFile } from 'node:fs/promises';
import { load as loadFrom } from './index.mjs';

export * from './index.mjs';

export async function load(source = new URL('./kugel.wasm', import.meta.url)) {
    const given = await source;
    return loadFrom(given instanceof URL && given.protocol === 'file:' ? readFile(given) : given);
}
