// The package in bundles of esbuild, rollup, vite and webpack, and without a bundler. Node and Chromium run them, with a worker
// in the browser, and print the hashes of this process. The bundlers are installed once into the build's folder.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { findBrowser, startBrowser } from '../../tools/view/browser.mjs';

const build = process.env.KUGEL_BUILD, source = process.env.KUGEL_SOURCE;
const package_ = join(build, 'tools/npm'), folder = join(build, 'tests/bundlers');
const skip = (why) => {
    console.log(`skipped: ${why}`);
    process.exit(77);
};

// Installs what package-lock.json names, if it is not installed.
function install() {
    const names = ['package.json', 'package-lock.json'], text = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
    const from = (name) => join(source, 'tests/npm/bundlers', name), done = join(folder, 'installed');
    if (text(done) === text(from(names[1]))) return;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    names.forEach((name) => copyFileSync(from(name), join(folder, name)));
    const { status, error, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1'], { cwd: folder, encoding: 'utf8', timeout: 200000 });
    if (error?.code === 'ENOENT') skip('npm is not installed (tools/install-deps test)');
    if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b/.test(stderr)) skip('no network to install the bundlers');
    assert.equal(status, 0, stderr);
    copyFileSync(from(names[1]), done);
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) skip(`vite takes node 20.19, this is ${process.version}`);
install();
const require = createRequire(join(folder, 'package.json'));
const open = (name) => import(pathToFileURL(require.resolve(name)));

// A fall in this thread, and the example with a worker.
const HOST = `import { load } from 'kugel';
load().then((kugel) => {
    const world = kugel.createWorld({ gravity: [0, 0, -9.81] });
    world.createBody({ position: [0, 0, 10] });
    for (let tick = 0; tick < 60; ++tick) world.step(1 / 60);
    console.log(\`fall \${world.hash()}\`);
});
`;
const page = (script) => `<!doctype html><link rel="icon" href="data:,"><script>var printed = []; console.log = (line) => printed.push(line);</script>
<body><script ${script}></script></body>`;

// A folder of a host that has the package installed. Its page.mjs is for browsers, its host.mjs for both.
function project() {
    const root = mkdtempSync(join(folder, 'project-')), installed = join(root, 'node_modules/kugel');
    mkdirSync(installed, { recursive: true });
    for (const name of readdirSync(package_)) if (/\.(mjs|json|wasm|ts)$/.test(name)) copyFileSync(join(package_, name), join(installed, name));
    cpSync(join(source, 'tools/npm/examples'), root, { recursive: true });
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(root, 'host.mjs'), HOST);
    writeFileSync(join(root, 'page.mjs'), "import './host.mjs';\nimport './main.mjs';\n");
    writeFileSync(join(root, 'index.html'), page('type="module" src="./page.mjs"'));
    return root;
}
const projects = [];
const make = () => (projects.push(project()), projects.at(-1));
after(() => projects.forEach((root) => rmSync(root, { recursive: true })));

const run = async (file) => (await promisify(execFile)(process.execPath, ['--no-warnings', file])).stdout.trim().split('\n');
const plain = make(), [fall] = await run(join(plain, 'host.mjs'));
const expected = [...await run(join(plain, 'node.mjs')), fall].sort();

const TYPES = { '.html': 'text/html', '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm' };
async function serve(root) {
    const server = createServer(({ url }, response) => {
        const file = join(root, new URL(url, 'http://localhost').pathname), found = existsSync(file) && statSync(file).isFile();
        response.writeHead(found ? 200 : 404, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(found ? readFileSync(file) : '');
    });
    await new Promise((listening) => { server.listen(0, '127.0.0.1', listening); });
    return { address: `http://127.0.0.1:${server.address().port}/index.html`, close: () => server.close() };
}

const path = findBrowser(), browser = path && await startBrowser(path), trouble = browser && await browser.trouble();
const noBrowser = !path ? 'Chromium is not installed' : trouble ? `Chromium is installed, but ${trouble}` : false;
after(() => browser?.close());

async function checkAddress(address) {
    const opened = await browser.open(address, { complete: `globalThis.printed?.length >= ${expected.length}` });
    assert.deepEqual([await opened.run('printed.sort()'), opened.errors], [expected, []]);
    await opened.close();
}
async function checkPage(root) {
    const { address, close } = await serve(root);
    try {
        await checkAddress(address);
    } finally {
        close();
    }
}
const copyModule = (to) => copyFileSync(join(package_, 'kugel.wasm'), join(to, 'kugel.wasm'));

// Each writes the bundles of a page with its worker, or of a host of node, into `out`. Browsers get nothing of node.
const BUNDLERS = {
    async esbuild(root, out, node) {
        const { build: bundle } = await open('esbuild');
        await bundle({ absWorkingDir: root, entryPoints: node ? ['host.mjs'] : ['page.mjs', 'worker.mjs'], outdir: out, outExtension: { '.js': '.mjs' },
            bundle: true, format: 'esm', platform: node ? 'node' : 'browser', logLevel: 'silent' });
        copyModule(out);
        if (!node) copyFileSync(join(root, 'index.html'), join(out, 'index.html'));
    },
    async rollup(root, out, node) {
        const { rollup } = await open('rollup'), { nodeResolve } = await open('@rollup/plugin-node-resolve');
        const input = (node ? ['host.mjs'] : ['page.mjs', 'worker.mjs']).map((name) => join(root, name));
        const bundle = await rollup({ input, external: /^node:/, plugins: [nodeResolve(node ? { exportConditions: ['node'] } : {})],
            onwarn: ({ message }) => { throw new Error(message); } });
        await bundle.write({ dir: out, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
        copyModule(out);
        if (!node) copyFileSync(join(root, 'index.html'), join(out, 'index.html'));
    },
    async vite(root, out, node) {
        const { build: bundle } = await open('vite'), common = { root, configFile: false, logLevel: 'silent' };
        await bundle(node ? { ...common, build: { outDir: out, ssr: 'host.mjs' } } : { ...common, build: { outDir: out } });
    },
    async webpack(root, out, node) {
        const { default: webpack } = await open('webpack');
        const stats = await promisify(webpack)({ context: root, mode: 'production', entry: node ? './host.mjs' : './page.mjs', target: node ? 'node' : 'web',
            performance: { hints: false }, output: { path: out, filename: node ? 'host.cjs' : 'page.js' } });
        const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
        assert.deepEqual([...errors, ...warnings], []);
        if (!node) writeFileSync(join(out, 'index.html'), page('defer src="page.js"'));
    },
};

for (const [name, bundle] of Object.entries(BUNDLERS)) {
    test(`${name}: a bundle for node`, async () => {
        const root = make(), out = join(root, 'out');
        await bundle(root, out, true);
        assert.deepEqual(await run(join(out, readdirSync(out).find((file) => file.startsWith('host.')))), [fall]);
    });
    test(`${name}: a bundle for browsers, with a worker`, { skip: noBrowser }, async () => {
        const root = make(), out = join(root, 'out');
        await bundle(root, out, false);
        for (const file of readdirSync(out, { recursive: true })) if (/\.m?js$/.test(file)) assert.doesNotMatch(readFileSync(join(out, file), 'utf8'), /node:/);
        await checkPage(out);
    });
}

test("vite's development server", { skip: noBrowser }, async () => {
    const { createServer: serveSources } = await open('vite');
    const server = await serveSources({ root: make(), configFile: false, logLevel: 'silent', optimizeDeps: { exclude: ['kugel'] },
        server: { host: '127.0.0.1' } });
    try {
        await server.listen();
        await checkAddress(`http://127.0.0.1:${server.httpServer.address().port}/index.html`);
    } finally {
        await server.close();
    }
});

test('a page without a bundler', { skip: noBrowser }, async () => {
    const root = make();
    for (const name of ['host.mjs', 'worker.mjs']) {
        const file = join(root, name);
        writeFileSync(file, readFileSync(file, 'utf8').replace("'kugel'", "'/node_modules/kugel/index.mjs'"));
    }
    await checkPage(root);
});
