// The page in a browser: run, step, seek, pick, rotate, on a desktop and on a phone.
// KUGEL_PICTURES=FOLDER stores screenshots.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findBrowser, startBrowser } from '../../tools/view/browser.mjs';
import { RAMP } from '../../tools/view/page/draw.mjs';
import { build, fileFor, makePage, makeScene, skip } from './support.mjs';

const path = findBrowser();
if (!path) skip('Chromium is not installed');
const browser = await startBrowser(path);
const trouble = await browser.trouble();
if (trouble) skip(`Chromium is installed, but ${trouble}`);

let made;
const TICKS = 120;
before(() => {
    made = makePage('billiard-break', '--ticks', `${TICKS}`);
});
after(() => browser.close());

const settled = (page) => page.until('kugelView.state.tick === kugelView.state.target && !kugelView.state.stale && !kugelView.state.dirty');
const keep = (page, name) => page.picture(process.env.KUGEL_PICTURES && join(process.env.KUGEL_PICTURES, `${name}.png`));
const at = (page, expression) => page.run(`kugelView.${expression}`);

// The row of a body as kugel-replay prints it: tick,time,id,x,y,z,vx,...
function nativeRow(tick, id) {
    const text = execFileSync(join(build, 'tools/replay/kugel-replay'), ['seek', made.recording, `${tick}`], { encoding: 'utf8' });
    return text.trim().split('\n').slice(1).map((line) => line.split(',').map(Number)).find((row) => row[2] === id);
}

async function checkTick(page, tick) {
    await settled(page);
    assert.equal(await page.text('tick'), `${tick}`);
    if (tick === 0) return assert.match(await page.text('verdict'), /as it was set up/);
    assert.equal(await page.text('verdict'), 'same as recorded');
    assert.equal(await page.text('hash'), await page.run(`kugelView.engine.recordedHash(${tick}).then((hash) => '0x' + hash.toString(16).padStart(16, '0'))`));
}

test('a desktop: steps, runs, scrubs, and every tick is the recorded one', async () => {
    const page = await browser.open(made.page);
    assert.equal(await page.text('title'), 'billiard-break.kugel');
    await checkTick(page, 0);
    for (const tick of [1, 2, 3]) {
        await page.press('forth');
        await checkTick(page, tick);
    }
    await page.press('back');
    await checkTick(page, 2);
    await page.key('ArrowRight');
    await checkTick(page, 3);
    await page.press('play');
    await page.until('kugelView.state.tick > 20');
    await page.press('play');
    await settled(page);
    const stopped = +(await page.text('tick'));
    await new Promise((resolve) => { setTimeout(resolve, 150); });
    await checkTick(page, stopped);
    await page.press('slider'); // its middle
    await checkTick(page, TICKS / 2);
    await page.key('End');
    await checkTick(page, TICKS);
    assert.equal(await page.text('hash'), made.printed.hash[0]);
    assert.equal(await page.text('impacts-total'), made.printed.impacts[0]);
    assert.ok(Math.abs(+(await page.text('energy-sum')) - +made.printed.energy[1]) < 1e-6 * +made.printed.energy[1]); // 8 digits are displayed
    await page.press('first');
    await checkTick(page, 0);
    assert.equal(await at(page, `history.match.every((m, t) => t === 0 || m === 1)`), true, 'all ticks were run');
    assert.deepEqual(page.errors, []);
    assert.deepEqual(page.requests.filter((url) => !url.startsWith('blob:')), [`file://${made.page}`], 'nothing but the page and its own worker is loaded');
    await page.close();
});

test('opened without a tick, a page plays to its end; the slider shows the tick that is shown', async () => {
    const page = await browser.open(made.page, { complete: 'globalThis.kugelView', hash: '' });
    const apart = await page.run(`new Promise((done) => {
        const seen = [];
        const look = () => {
            seen.push(document.getElementById('slider').value - document.getElementById('tick').textContent);
            if (kugelView.state.tick < ${TICKS}) requestAnimationFrame(look); else done(seen);
        };
        look();
    })`);
    assert.ok(apart.length > 10 && apart.every((x) => x === 0), `slider and tick differ by ${apart}`);
    await checkTick(page, TICKS);
    assert.equal(await at(page, 'state.playing'), false);
    await page.press('loop');
    await page.press('play');
    await page.until(`kugelView.state.tick === ${TICKS}`);
    await page.until('kugelView.state.playing && kugelView.state.tick < 20');
    assert.deepEqual(page.errors, []);
    await page.close();
});

test('pause keeps the tick that is shown', async () => {
    const page = await browser.open(made.page);
    await page.run(`{ const s = document.getElementById('speed'); s.value = '8'; s.dispatchEvent(new Event('change')); }`);
    await page.press('play');
    await page.until('kugelView.state.tick > 10');
    const shown = await page.run(`(() => { document.getElementById('play').click(); return +document.getElementById('tick').textContent; })()`);
    await checkTick(page, shown);
    await new Promise((resolve) => { setTimeout(resolve, 150); });
    await checkTick(page, shown);
    await page.close();
});

test('the address names the tick', async () => {
    const page = await browser.open(made.page, { complete: 'globalThis.kugelView?.state.tick === 40', hash: '#tick=40' });
    await checkTick(page, 40);
    assert.equal(await at(page, 'state.playing'), false);
    await page.press('forth');
    await page.until(`location.hash === '#tick=41'`);
    await page.run(`location.hash = '#tick=7', 1`);
    await page.until('kugelView.state.tick === 7');
    await checkTick(page, 7);
    assert.deepEqual(page.errors, []);
    await page.close();
});

test('a picture and a film are saved', async () => {
    const page = await browser.open(made.page);
    await page.run(`globalThis.saved = []; { const { createObjectURL } = URL;
        URL.createObjectURL = (file) => { globalThis.file = file; return createObjectURL(file); };
        HTMLAnchorElement.prototype.click = function keep() { saved.push([this.download, globalThis.file]); }; }`);
    const bytes = (k) => page.run(`saved[${k}][1].arrayBuffer().then((b) => [...new Uint8Array(b.slice(0, 24)), b.byteLength])`);
    await at(page, 'goTo(30)');
    await settled(page);
    await page.press('still');
    await page.until('saved.length === 1');
    const png = await bytes(0), [width, height] = [16, 20].map((i) => png[i] * 65536 * 256 + png[i + 1] * 65536 + png[i + 2] * 256 + png[i + 3]);
    assert.equal(await page.run('saved[0][0]'), 'billiard-break-30.png');
    assert.deepEqual(png.slice(1, 4), [...Buffer.from('PNG')]);
    assert.deepEqual([width, height], await page.run(`(({ width, height }) => [width, height])(document.getElementById('picture'))`));
    await page.press('film');
    await page.until(`saved.length === 2 && document.getElementById('film').getAttribute('aria-pressed') === 'false'`); // it ends with the run
    const film = await bytes(1);
    assert.equal(await page.run('saved[1][0]'), 'billiard-break.webm');
    assert.deepEqual(film.slice(0, 4), [0x1a, 0x45, 0xdf, 0xa3]); // EBML
    assert.ok(film.at(-1) > 10000, `${film.at(-1)} bytes`);
    await checkTick(page, TICKS);
    assert.deepEqual(page.errors, []);
    await page.close();
});

test('it fills the screen, and leaves it', async () => {
    const page = await browser.open(made.page);
    await page.press('full');
    await page.until('document.fullscreenElement === document.documentElement');
    await page.press('full');
    await page.until('!document.fullscreenElement');
    assert.deepEqual(page.errors, []);
    await page.close();
});

test('a page of 24 bodies has at most 0.6 MB', () => {
    const bodies = [...Array(24).keys()].map((k) => ({ position: [3 * k, 0, 0] }));
    const { page } = makePage(makeScene('few', { ticks: 60, bodies }));
    assert.ok(statSync(page).size <= 600000, `${statSync(page).size} bytes`);
});

test('bodies at speed 0 stand out from the background', () => {
    const linear = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    const light = (hex) => linear(hex).reduce((sum, x, k) => sum + x * [0.2126, 0.7152, 0.0722][k], 0);
    for (const [, space] of readFileSync(made.page, 'utf8').matchAll(/--space: (#\w+)/g)) {
        const [low, high] = [light(RAMP[0]), light(space)].sort((a, b) => a - b);
        assert.ok((high + 0.05) / (low + 0.05) >= 3, `${RAMP[0]} on ${space}`); // WCAG 2.1, contrast of graphics
    }
});

test('a picked sphere shows its own numbers and stays picked', async () => {
    const page = await browser.open(made.page);
    await at(page, 'goTo(40)');
    await settled(page);
    // the body nearest to the camera is not hidden
    const [id, x, y] = await page.run(`(async () => { const v = kugelView, c = document.getElementById('picture'), eye = v.camera.eye();
        const ids = [...Array(21).keys()], bodies = await Promise.all(ids.map((id) => v.engine.body(id)));
        const places = bodies.map((b) => b.position.map((p, k) => p - v.origin[k])), far = (id) => Math.hypot(...places[id].map((p, k) => p - eye[k]));
        ids.sort((a, b) => far(a) - far(b));
        return [ids[0], ...v.camera.project(places[ids[0]], c.clientWidth, c.clientHeight)]; })()`);
    await page.click(x, y);
    await page.until('kugelView.state.selected >= 0');
    await settled(page);
    assert.equal(await page.text('pick-id'), `${id}`);
    const row = nativeRow(40, id), place = (await page.text('pick-place')).split(/\s+/).map(Number);
    // five digits are displayed
    for (let k = 0; k < 3; ++k) assert.ok(Math.abs(place[k] - row[3 + k]) <= 1e-4 * Math.abs(row[3 + k]) + 1e-9, `${place} is not ${row}`);
    assert.ok(Math.abs(+(await page.text('pick-speed')) - Math.hypot(...row.slice(6, 9))) <= 1e-4 * Math.hypot(...row.slice(6, 9)));
    await settled(page);
    await keep(page, 'picked');
    await page.press('forth');
    await settled(page);
    assert.equal(await page.text('pick-id'), `${id}`);
    assert.notEqual(await page.text('pick-place'), place.join('  '), 'the numbers go with the tick');
    await page.click(5, 300); // an empty corner of the picture
    await page.until('kugelView.state.selected < 0');
    await settled(page);
    assert.equal(await page.run(`document.getElementById('pick-table').hidden`), true);
    assert.deepEqual(page.errors, []);
    await page.close();
});

test('the picture: colours, marks, theme and camera change it; looking does not change the run', async () => {
    const page = await browser.open(made.page, { dark: true });
    await at(page, 'goTo(60)');
    let before = await keep(page, 'dark');
    const changes = async (what) => {
        await settled(page);
        const now = await page.picture();
        assert.notEqual(now, before, `${what} changes nothing`);
        before = now;
    };
    for (const paint of ['1', '2', '3', '4', '0']) {
        await page.run(`{ const s = document.getElementById('paint'); s.value = '${paint}'; s.dispatchEvent(new Event('change')); }`);
        await changes(`colour ${paint}`);
    }
    await page.press('marks');
    await changes('spin marks');
    const yaw = await at(page, 'camera.yaw'), distance = await at(page, 'camera.distance');
    await page.drag([400, 300], [520, 340]);
    assert.notEqual(await at(page, 'camera.yaw'), yaw);
    assert.equal(await at(page, 'state.selected'), -1, 'a drag picks nothing');
    await changes('turning');
    await page.key('e');
    assert.ok(await at(page, 'camera.distance') < distance);
    await changes('the key e');
    // so near that spheres exceed the largest point size and the edge of the picture
    await at(page, 'camera.zoom(0.05)');
    await changes('going near');
    await keep(page, 'near');
    await page.press('fit');
    await changes('fit');
    await page.press('theme');
    assert.equal(await page.run('document.documentElement.dataset.theme'), 'light');
    await changes('the theme');
    await checkTick(page, 60);
    assert.deepEqual(page.errors, []);
    await page.close();
});

test('a phone: all is within its width, fingers turn and zoom', async () => {
    const page = await browser.open(made.page, { width: 390, height: 844, phone: true });
    assert.ok(await page.run('document.documentElement.scrollWidth <= innerWidth'), 'it scrolls sideways');
    const small = await page.run(`[...document.querySelectorAll('button')].filter((b) => b.offsetParent && (b.offsetHeight < 40 || b.getBoundingClientRect().right > innerWidth)).map((b) => b.id)`);
    assert.deepEqual(small, [], 'a finger needs 40 pixels');
    const yaw = await at(page, 'camera.yaw'), distance = await at(page, 'camera.distance');
    await page.touch([[100, 200], [150, 210], [200, 220]]);
    assert.notEqual(await at(page, 'camera.yaw'), yaw);
    await page.touch([[180, 200], [120, 200], [60, 200]], [[200, 200], [260, 200], [320, 200]]);
    assert.ok(await at(page, 'camera.distance') < distance, 'two fingers spread');
    await page.press('fit');
    await page.press('forth');
    await checkTick(page, 1);
    await at(page, 'goTo(30)');
    await checkTick(page, 30);
    await keep(page, 'phone');
    assert.deepEqual(page.errors, []);
    await page.close();
});

// Positions of points in the picture, as fractions: visible within 0 ... 1.
const placesOf = (page, points) => page.run(`(() => { const v = kugelView, c = document.getElementById('picture');
    return ${JSON.stringify(points)}.map((p) => v.camera.project(p.map((x, k) => x - v.origin[k]), c.clientWidth, c.clientHeight))
        .map((at) => at && [at[0] / c.clientWidth, at[1] / c.clientHeight]); })()`);
async function checkSeen(page, points) {
    const places = await placesOf(page, points);
    assert.ok(places.every((at) => at && at.every((x) => x > 0 && x < 1)), `not all in sight: ${JSON.stringify(places)}`);
}

test('what is worth seeing is in sight: a floor far below a ball, and bodies far from the origin', async () => {
    const ball = { position: [0, 0, 10], restitution: 0.5 }, floor = { normal: [0, 0, 1] };
    const fall = makeScene('fall', { ticks: 90, gravity: [0, 0, -9.81], planes: [floor], bodies: [ball] });
    let page = await browser.open(makePage(fall).page);
    await checkSeen(page, [[0, 0, 10.5], [0, 0, 0]]);
    await at(page, 'goTo(90)');
    await checkTick(page, 90);
    await checkSeen(page, [await at(page, 'engine.body(0).then((b) => b.position)')]);
    await keep(page, 'fall');
    await page.close();

    const far = makeScene('far', { ticks: 1, bodies: [{ position: [1e9, 1e9, 1e9] }, { position: [1e9 + 3, 1e9, 1e9] }] });
    page = await browser.open(makePage(far).page);
    await checkSeen(page, [[1e9 - 0.5, 1e9, 1e9], [1e9 + 3.5, 1e9, 1e9]]);
    await page.close();
});

test('a beam that leaves out its tick and its length begins at tick 0 and has no end', async () => {
    const beams = [{ origin: [-5, 0, 0], direction: [2, 0, 0] }, { origin: [-5, 0, 3], direction: [1, 0, 0] }];
    const ellipsoids = [{ center: [0, 0, 3], semi_axes: [2, 1, 1] }];
    let page = await browser.open(makePage(makeScene('beams', { ticks: 1, ellipsoids, beams, bodies: [{ position: [0, 0, 0] }] })).page);
    const seen = await at(page, `beams.seen(0).map((b) => [b.hit, b.to.map((x, k) => x + kugelView.origin[k])])`);
    assert.deepEqual(seen, [[true, [-0.5, 0, 0]], [true, [-2, 0, 3]]]);
    await checkSeen(page, [[0, 0, 4], [-2, 0, 3], [2, 0, 3], [0, 0, -0.5]]); // the shield and the body
    assert.deepEqual(page.errors, []);
    await page.close();

    // through periodic faces, to a sensor: compared with the rows of kugel-run
    const bounds = { min: [-4, -4, -4], max: [4, 4, 4], faces: Array(6).fill('periodic') };
    const around = makeScene('around', { ticks: 0, bounds, bodies: [{ position: [-3, 0, 0], sensor: true }], beams: [{ origin: [0, 0, 0], direction: [1, 0, 0] }] });
    const row = execFileSync(join(build, 'samples/kugel-run'), [around, '--quiet', '--events', '-'], { encoding: 'utf8' }).split('\n').find((line) => line.includes(',beam,'));
    page = await browser.open(makePage(around).page);
    const met = await at(page, `engine.beam([0, 0, 0], [1, 0, 0], 1e15)`);
    assert.deepEqual([met.kind, met.index, met.enter, ...met.point], [1, ...[4, 11, 5, 6, 7].map((k) => +row.split(',')[k])]);
    await page.close();
});

test('the worker runs ticks beside the page, which never waits for them', async () => {
    const lattice = { origin: [0.6, 0.6, 0.6], spacing: [1.2, 1.2, 1.2], count: [25, 25, 16], jitter: 0.1 }, faces = [...Array(5).fill('wall'), 'open'];
    const bounds = { min: [0, 0, 0], max: [30, 30, 100], faces, restitution: 0.3, friction: 0.5 };
    const page = await browser.open(makePage(makeScene('many', { ticks: 60, gravity: [0, 0, -9.81], bounds, generators: [{ lattice }] })).page);
    // the engine's time on the page's own thread is 0: it is busy in the worker while a chain of short tasks runs here
    const [shares, last, whole] = await page.run(`new Promise((done) => {
        const long = [], start = performance.now(); let last = 0;
        new PerformanceObserver((list) => long.push(...list.getEntries().map((e) => e.duration))).observe({ entryTypes: ['longtask'] });
        kugelView.goTo(60);
        const look = () => { last = kugelView.state.tick; if (last < 60) setTimeout(look, 20); else done([long, last, performance.now() - start]); };
        look();
    })`);
    assert.equal(last, 60);
    const sum = shares.reduce((a, b) => a + b, 0), ticks = await at(page, 'history.match.reduce((a, b) => a + b)');
    assert.equal(ticks, 60, 'every tick was run here');
    // a share, so that a busy machine does not matter: with the engine on this thread it is nearly all
    assert.ok(sum < whole / 4, `${sum} of ${whole} ms are long tasks on the page's thread`);
    assert.deepEqual(page.errors, []);
    await page.close();
});

test('very many impacts in a tick are shown', async () => {
    const gas = { gas: { count: 4000, packing_fraction: 0.3, speed_sigma: 10 } }, bounds = { min: [0, 0, 0], max: [10, 10, 10], restitution: 1, friction: 0 };
    const dense = makeScene('dense', { ticks: 2, dt: 1, slop: 0, bounce_threshold: 0, bounds, defaults: { restitution: 1, friction: 0 }, generators: [gas] });
    const page = await browser.open(makePage(dense).page);
    await page.key('ArrowRight');
    await checkTick(page, 1);
    assert.ok(await at(page, 'engine.impacts().then((hits) => hits.length / 4)') > 150000, 'too few to be a test');
    assert.deepEqual(page.errors, []);
    await page.close();
});

test('a body that is followed may not be there yet', async () => {
    const page = await browser.open(made.page);
    await page.run('kugelView.state.follow = true, kugelView.select(1000), 1');
    await page.until('kugelView.state.selected === 1000');
    await settled(page);
    assert.deepEqual(page.errors, []);
    await page.close();
});

test('a run that differs and a recording that is broken are said', async () => {
    const differs = fileFor('differs.html'), recorded = 'engine.recordedHash(tick)', text = readFileSync(made.page, 'utf8');
    assert.ok(text.includes(recorded));
    writeFileSync(differs, text.replace(recorded, 'BigInt(tick)'));
    const page = await browser.open(differs);
    await page.key('ArrowRight');
    await settled(page);
    assert.match(await page.text('verdict'), /different from the recording since tick 1/);
    assert.equal(await page.run(`document.getElementById('match').dataset.state`), 'different');
    await page.close();

    const bytes = readFileSync(made.recording), damaged = fileFor('damaged.kugel'), part = fileFor('damaged.html');
    bytes[Math.floor(bytes.length / 2)] ^= 1;
    writeFileSync(damaged, bytes);
    const { status } = spawnSync(join(build, 'tools/replay/kugel-replay'), ['view', damaged, '-o', part]);
    assert.equal(status, 2); // it says so, too
    const third = await browser.open(part);
    const said = /is damaged at byte (\d+): it ends behind tick (\d+)/.exec(await third.text('notice'));
    assert.ok(said && +said[1] <= bytes.length / 2, await third.text('notice'));
    assert.deepEqual([said[2], await third.run(`document.getElementById('notice').offsetHeight > 0`)], [await third.text('ticks'), true]);
    await third.close();

    const flipped = fileFor('flipped.html'), whole = readFileSync(made.page, 'utf8'), half = Math.floor((whole.indexOf('id="recording">') + whole.length) / 2);
    const middle = whole[half] === '\n' ? half + 1 : half; // a letter, no line break
    writeFileSync(flipped, whole.slice(0, middle) + (whole[middle] === 'A' ? 'B' : 'A') + whole.slice(middle + 1));
    const fourth = await browser.open(flipped), ticks = await fourth.text('ticks');
    assert.ok(+ticks < TICKS);
    assert.equal(await fourth.text('notice'), `The recording is damaged in this page: it ends behind tick ${ticks}.`);
    await fourth.close();

    const broken = fileFor('broken.html');
    writeFileSync(broken, readFileSync(made.page, 'utf8').replace(/(id="recording">)[^<]*/, '$1AAAA'));
    const other = await browser.open(broken);
    assert.match(await other.text('message'), /cannot be opened/);
    await other.close();
});
