// Debian's Chromium without a screen, driven through a pipe by its DevTools protocol; no other package is needed.
// In: a page's file or address. Out: clicks, keys, texts, screenshots, errors.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PATIENCE = 60000; // ms; a software renderer on a busy machine

// Path of Chromium, or null. KUGEL_BROWSER overrides it.
export function findBrowser() {
    const names = [process.env.KUGEL_BROWSER, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
    const path = names.find((name) => name && existsSync(name));
    return path && spawnSync(path, ['--version']).status === 0 ? path : null;
}

export async function startBrowser(path) {
    const folder = mkdtempSync(join(tmpdir(), 'kugel-browser-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    const program = spawn(path, ['--headless', '--no-sandbox', '--disable-dev-shm-usage', '--use-gl=angle', '--use-angle=swiftshader',
        '--enable-unsafe-swiftshader', '--hide-scrollbars', '--no-first-run', `--user-data-dir=${folder}`, '--remote-debugging-pipe'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    const waiting = new Map(), listeners = [];
    let number = 0, rest = '';
    program.stdio[4].setEncoding('utf8').on('data', (text) => {
        const messages = (rest + text).split('\0');
        rest = messages.pop();
        for (const message of messages.map((m) => JSON.parse(m))) {
            const done = waiting.get(message.id);
            if (!done) listeners.forEach((listen) => listen(message));
            else if (message.error) done.reject(new Error(`${done.method}: ${message.error.message}`));
            else done.resolve(message.result);
            waiting.delete(message.id);
        }
    });
    program.stdio[3].on('error', () => {}); // closed: pending calls receive the error
    program.on('exit', () => waiting.forEach((done) => done.reject(new Error('the browser is gone'))));
    const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
        waiting.set(++number, { resolve, reject, method });
        program.stdio[3].write(`${JSON.stringify({ id: number, method, params, sessionId })}\0`);
    });
    return {
        open: (file, options) => openPage(send, listeners, file, options),
        // The reason why this machine cannot show pages, or null. Reasons: the program does not start, or has no WebGL.
        async trouble() {
            const late = new Promise((resolve) => { setTimeout(() => resolve('it does not answer'), PATIENCE).unref(); });
            const first = async () => {
                const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
                const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
                const expression = "Boolean(document.createElement('canvas').getContext('webgl2'))";
                const { result } = await send('Runtime.evaluate', { expression }, sessionId);
                await send('Target.closeTarget', { targetId });
                return result.value ? null : 'it has no WebGL 2 here';
            };
            return Promise.race([late, first().catch((error) => `it does not run here: ${error.message}`)]);
        },
        async close() {
            const gone = new Promise((resolve) => { program.on('exit', resolve); });
            send('Browser.close').catch(() => {});
            await Promise.race([gone, new Promise((resolve) => { setTimeout(resolve, 5000).unref(); })]);
            program.kill('SIGKILL');
        },
    };
}

// The expression that is true as soon as a page of the viewer is complete.
// Opened at a tick, a page does not play.
const VIEWER = "document.getElementById('verdict')?.textContent.startsWith('tick 0') || document.getElementById('message')?.hidden === false";

async function openPage(send, listeners, file, { complete = VIEWER, hash = complete === VIEWER ? '#tick=0' : '', width = 1280, height = 800, phone = false, fine = phone, dark = false } = {}) {
    const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    const ask = (method, params) => send(method, params, sessionId);
    const errors = [], requests = [];
    listeners.push((m) => {
        if (m.sessionId !== sessionId) return;
        if (m.method === 'Runtime.exceptionThrown') errors.push(m.params.exceptionDetails.exception?.description ?? m.params.exceptionDetails.text);
        if (m.method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(m.params.type)) {
            errors.push(m.params.args.map((a) => a.description ?? a.value).join(' '));
        }
        if (m.method === 'Log.entryAdded' && m.params.entry.level === 'error') errors.push(m.params.entry.text);
        if (m.method === 'Network.requestWillBeSent') requests.push(m.params.request.url);
    });
    for (const domain of ['Runtime', 'Log', 'Page', 'Network']) await ask(`${domain}.enable`);
    await ask('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: fine ? 2 : 1, mobile: phone });
    await ask('Emulation.setTouchEmulationEnabled', { enabled: phone });
    await ask('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
    await ask('Page.navigate', { url: new URL(file, 'file:').href + hash });

    const page = {
        errors,
        requests,
        async run(expression) {
            const { result, exceptionDetails } = await ask('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
            if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
            return result.value;
        },
        text: (id) => page.run(`document.getElementById('${id}').textContent`),
        // Wait until an expression is true. Throws with the page's message after a timeout. After an error the expression is
        // evaluated once more: it may have become true between the previous evaluation and the error.
        async until(expression) {
            const end = Date.now() + PATIENCE;
            for (;;) {
                const last = Date.now() > end || errors.length > 0;
                if (await page.run(`Boolean(${expression})`)) return;
                if (last) throw new Error(`never: ${expression}; errors: ${errors.join('; ')}; ${await page.run('document.body?.innerText')}`);
                await new Promise((resolve) => { setTimeout(resolve, 20); });
            }
        },
        async click(x, y) {
            for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased']) {
                await ask('Input.dispatchMouseEvent', { type, x, y, button: type === 'mouseMoved' ? 'none' : 'left', clickCount: 1 });
            }
        },
        async drag(from, to) {
            await ask('Input.dispatchMouseEvent', { type: 'mousePressed', x: from[0], y: from[1], button: 'left', buttons: 1, clickCount: 1 });
            for (let k = 1; k <= 5; ++k) {
                await ask('Input.dispatchMouseEvent', { type: 'mouseMoved', x: from[0] + (to[0] - from[0]) * k / 5, y: from[1] + (to[1] - from[1]) * k / 5, button: 'left', buttons: 1 });
            }
            await ask('Input.dispatchMouseEvent', { type: 'mouseReleased', x: to[0], y: to[1], button: 'left', clickCount: 1 });
        },
        // Touches on the picture: each a list of positions over time.
        async touch(...fingers) {
            const at = (k) => fingers.map((way, id) => ({ x: way[k][0], y: way[k][1], id }));
            await ask('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
            for (let k = 1; k < fingers[0].length; ++k) await ask('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(k) });
            await ask('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
        },
        async press(id) {
            const [x, y] = await page.run(`(() => { const e = document.getElementById('${id}'); e.scrollIntoView({ block: 'nearest' });
                const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`);
            await page.click(x, y);
        },
        async key(key, code = key) {
            const text = key.length === 1 ? { text: key } : {};
            await ask('Input.dispatchKeyEvent', { type: 'keyDown', key, code, ...text });
            await ask('Input.dispatchKeyEvent', { type: 'keyUp', key, code });
        },
        // Returns base64. `path` stores it: .webp, else png; `part` selects an element, default all.
        async picture(path, part) {
            const box = part && await page.run(`(({ x, y, width, height }) => ({ x, y, width, height, scale: 1 }))(document.getElementById('${part}').getBoundingClientRect())`);
            const { data } = await ask('Page.captureScreenshot', { ...(path?.endsWith('.webp') ? { format: 'webp', quality: 80 } : { format: 'png' }), clip: box });
            if (path) writeFileSync(path, Buffer.from(data, 'base64'));
            return data;
        },
        close: () => send('Target.closeTarget', { targetId }),
    };
    await page.until(complete);
    return page;
}
