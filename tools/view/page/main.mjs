// The page: opens the recording, runs and shows it. It always shows the engine's own state.
import { openEngine, PLAY_END, ROW } from './engine.mjs';
import { cameraKey, makeCamera } from './camera.mjs';
import { makeBeams, makeSurroundings, extentOf } from './surroundings.mjs';
import { makeSheets } from './sheets.mjs';
import { makeBodies, makeGlows, PAINTS, PLAIN, RAMP, rangeOf, toRgb } from './draw.mjs';
import { DIFFERENT, drawPlot, drawStrip, SAME, UNKNOWN } from './plots.mjs';
import { add, clamp, length, sub } from './math.mjs';

const SPEEDS = [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, Infinity];
const SLICE = 14; // ms of running ticks between two pictures
const GLOW_TICKS = 6; // duration of an impact's glow
const $ = (id) => document.getElementById(id);

function bytesOf(id) {
    const binary = atob($(id).textContent.replace(/\s+/g, ''));
    return Uint8Array.from(binary, (c) => c.charCodeAt(0));
}

function fail(error) {
    $('message').textContent = error.message;
    $('message').hidden = false;
    console.error(error);
}

function sceneOf(text) {
    try {
        const scene = JSON.parse(text);
        return scene?.format === 'kugel-scene' ? scene : null;
    } catch {
        return null; // annotation of another host
    }
}

const moved = (bounds, by) => ({ ...bounds, min: sub(bounds.min, by), max: sub(bounds.max, by) });

// Values of each tick that has been run here.
function makeHistory(ticks) {
    const empty = () => new Float64Array(ticks + 1).fill(NaN);
    return { match: new Uint8Array(ticks + 1), kinetic: empty(), potential: empty(), total: empty(), impacts: empty(), first: -1 };
}

async function start() {
    const name = $('name').content.textContent;
    document.title = `${name} · kugel`;
    $('title').textContent = name;
    const engine = await openEngine(bytesOf('engine'), bytesOf('recording'));
    engine.seek(0);
    engine.read();
    const scene = sceneOf(engine.annotation);
    const origin = extentOf(engine.bounds(), engine.planes(), [], engine.rows(), ROW, upOf(scene)).center; // approximate, if far from 0
    engine.setOrigin(...origin);
    (scene?.ellipsoids ?? []).forEach((e) => engine.addEllipsoid(e));
    run(engine, scene, origin);
}

// Antialiasing halves the speed of software renderers.
function drawsInSoftware() {
    const gl = document.createElement('canvas').getContext('webgl2'), info = gl?.getExtension('WEBGL_debug_renderer_info');
    const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

function upOf(scene) {
    const g = scene?.gravity ?? [0, 0, 0], k = [0, 1, 2].reduce((a, b) => (Math.abs(g[b]) > Math.abs(g[a]) ? b : a), 2);
    const up = [0, 0, 0];
    up[k] = g[k] > 0 ? -1 : 1;
    return up;
}

function run(engine, scene, origin) {
    const canvas = $('picture');
    const gl = canvas.getContext('webgl2', { antialias: !drawsInSoftware(), alpha: false });
    if (!gl) throw new Error('This browser has no WebGL 2, which the picture is drawn with.');
    const state = { tick: 0, target: 0, playing: false, late: 0, speed: 1, paint: 0, marks: true, selected: -1, follow: false,
        range: [0, 0], dirty: true, stale: true, plotsDue: 0, dt: scene?.dt ?? 1 / 60, time: 0 };
    const history = makeHistory(engine.ticks);
    const camera = makeCamera(canvas, () => { state.dirty = true; });
    const bodies = makeBodies(gl), glows = makeGlows(gl), beams = makeBeams(engine, scene, origin);
    const planes = engine.planes().map((p) => ({ ...p, offset: p.offset - p.normal.reduce((s, n, k) => s + n * origin[k], 0) }));
    const shields = (scene?.ellipsoids ?? []).map((e) => ({ ...e, center: sub(e.center, origin) }));
    const sheets = makeSheets(gl, engine, origin);
    function look() {
        engine.read();
        return extentOf(moved(engine.bounds(), origin), planes, [...shields, ...sheets.boxes()], engine.rows(), ROW, upOf(scene));
    }
    const around = look(), reach = around.radius || 1;
    const surroundings = makeSurroundings(gl, moved(engine.bounds(), origin), planes, shields, reach);
    let numbers = engine.numbers(), flashes = [];
    camera.up = upOf(scene);
    camera.fit(around);


    function note(tick) {
        numbers = engine.numbers();
        if (tick === state.tick + 1) state.dt = numbers.time - state.time || state.dt;
        state.tick = tick;
        state.time = numbers.time;
        state.stale = true;
        history.kinetic[tick] = numbers.kinetic;
        history.potential[tick] = numbers.potential;
        history.total[tick] = numbers.kinetic + numbers.potential;
        beams.note(tick + engine.origin);
        if (tick === 0) return;
        history.impacts[tick] = numbers.impacts;
        history.match[tick] = engine.hash() === engine.recordedHash(tick) ? SAME : DIFFERENT;
        if (history.match[tick] === DIFFERENT && (history.first < 0 || tick < history.first)) history.first = tick;
    }
    // One seek towards the target. The last step is run, not restored, so that its hash is computed here.
    function approach() {
        const { target } = state, from = target > 0 ? engine.seekFrom(target - 1) : 0;
        const next = target > 0 && state.tick < target && from <= state.tick ? state.tick + 1 : from;
        if (engine.seek(next) === PLAY_END) throw new Error(`The recording ends before tick ${next}.`);
        if (next === state.tick + 1 || next === 0) note(next);
        else state.tick = next;
    }
    // Long seeks share the time between ticks and pictures.
    function runSlice(lapse) {
        const end = performance.now() + (state.playing ? SLICE : clamp(lapse, SLICE, 10 * SLICE));
        while (state.tick !== state.target && performance.now() < end) approach();
    }
    function goTo(tick, playing = false) {
        state.target = clamp(Math.round(tick), 0, engine.ticks);
        if (!playing) setPlaying(false);
    }
    function setPlaying(playing) {
        if (playing && state.tick === engine.ticks) state.target = 0;
        state.playing = playing;
        state.late = 0;
        $('play').setAttribute('aria-label', playing ? 'pause' : 'play');
    }
    function playOn(elapsed) {
        if (!state.playing || state.target !== state.tick) return;
        if (state.tick === engine.ticks) return setPlaying(false);
        if (state.speed === Infinity) return goTo(engine.ticks < state.tick + 16 ? engine.ticks : state.tick + 16, true);
        state.late = Math.min(state.late + elapsed * state.speed, Math.max(0.1, state.dt));
        const due = Math.floor(state.late / state.dt + 1e-9);
        state.late -= due * state.dt;
        if (due) goTo(state.tick + due, true);
    }


    const ink = (variable) => toRgb(getComputedStyle(document.documentElement).getPropertyValue(`--${variable}`).trim());
    function readState() {
        engine.read();
        const rows = engine.rows(), range = rangeOf(rows, state.paint), hits = engine.impacts();
        bodies.set(rows);
        state.range = state.paint === 0 ? [0, Math.max(state.range[1], range[1])] : range;
        state.size = rows.length ? rows[3] : reach / 50;
        flashes = flashes.filter((f) => f.tick <= state.tick && f.tick > state.tick - GLOW_TICKS && f.tick !== state.tick);
        if (hits.length) flashes.push({ tick: state.tick, hits: hits.slice() });
        state.stale = false;
        state.dirty = true;
        showNumbers();
    }
    function glowValues() {
        const values = [];
        let strongest = 1e-30;
        for (const { hits } of flashes) for (let i = 3; i < hits.length; i += 4) strongest = Math.max(strongest, hits[i]);
        const many = clamp(60 / flashes.reduce((n, f) => n + f.hits.length / 4, 0), 0.06, 1); // limits the total brightness
        for (const f of flashes) {
            const fade = many * (1 - (state.tick - f.tick) / GLOW_TICKS);
            for (let i = 0; i < f.hits.length && i < 8000; i += 4) {
                values.push(f.hits[i], f.hits[i + 1], f.hits[i + 2], state.size * 1.2, fade * (0.25 + 0.75 * Math.sqrt(f.hits[i + 3] / strongest)));
            }
        }
        return values;
    }
    function draw() {
        const ratio = Math.min(devicePixelRatio, 2), width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
        if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
        if (!width || !height) return;
        const followed = state.follow && engine.body(state.selected); // null while the body does not exist yet
        if (followed) camera.target = sub(followed.position, origin);
        const s = { view: camera.view(), projection: camera.projection(width, height), lens: camera.lens(width, height), eye: camera.eye(),
            width, height, selected: state.selected, marks: state.marks, paint: state.paint, range: state.range, up: camera.up, accent: ink('accent') };
        gl.viewport(0, 0, width, height);
        gl.clearColor(...ink('space'), 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        gl.enable(gl.DEPTH_TEST);
        gl.disable(gl.BLEND);
        gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
        bodies.draw(s);
        gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
        gl.enable(gl.BLEND);
        gl.depthMask(false);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        surroundings.draw(s, ink('grid'));
        sheets.draw(s, ink('shield'));
        surroundings.drawShells(s, ink('shield'));
        const shots = beams.seen(state.tick + engine.origin);
        surroundings.drawBeams(s, shots, ink('beam'));
        const dark = ink('space').reduce((a, b) => a + b) < 1.5;
        gl.blendFunc(gl.SRC_ALPHA, dark ? gl.ONE : gl.ONE_MINUS_SRC_ALPHA); // additive blending on dark backgrounds only
        glows(s, glowValues(), ink('impact'));
        glows(s, shots.filter((b) => b.hit).flatMap((b) => [...b.to, reach * 0.08, b.strength]), ink('beam'));
        gl.depthMask(true);
        state.dirty = false;
    }


    const digits = (x, n = 5) => (x === 0 ? '0' : Math.abs(x) >= 1e6 || Math.abs(x) < 1e-4 ? x.toExponential(n - 1) : String(+x.toPrecision(n)));
    const vector = (v) => v.map((x) => digits(x)).join('  ');
    function fill(table, rows) {
        table.replaceChildren(...rows.map(([head, value, id]) => {
            const tr = document.createElement('tr'), th = document.createElement('th'), td = document.createElement('td');
            [th.textContent, td.textContent] = [head, value];
            if (id) td.id = id;
            tr.append(th, td);
            return tr;
        }));
    }
    function showPicked() {
        const b = state.selected >= 0 ? engine.body(state.selected) : null;
        if (!b) [state.selected, state.follow] = [-1, false];
        $('pick-table').hidden = $('pick-buttons').hidden = !b;
        $('pick-hint').hidden = Boolean(b);
        if (!b) return;
        fill($('pick-table'), [['id', state.selected, 'pick-id'], ['type', b.sensor ? `${b.type}, sensor` : b.type], ['place, m', vector(b.position), 'pick-place'],
            ['velocity, m/s', vector(b.velocity)], ['speed, m/s', digits(length(b.velocity)), 'pick-speed'], ['spin, rad/s', vector(b.spin)],
            ['radius, m', digits(b.radius)], ['mass, kg', b.type === 'dynamic' ? digits(b.mass) : '∞'],
            ['restitution', digits(b.restitution)], ['friction', digits(b.friction)],
            ['resting contacts', b.contacts], ['asleep', b.asleep ? 'yes' : 'no']]);
    }
    function showMatch() {
        const match = history.match[state.tick];
        $('match').dataset.state = ['unknown', 'same', 'different'][match];
        $('verdict').textContent = state.tick === 0 ? 'tick 0: as it was set up' : match === SAME ? 'same as recorded'
            : match === UNKNOWN ? 'on the way' : `different from the recording since tick ${history.first}`;
        $('hash').textContent = state.tick > 0 && match !== UNKNOWN ? `0x${engine.hash().toString(16).padStart(16, '0')}` : '';
    }
    function showNumbers() {
        $('tick').textContent = state.tick;
        $('time').textContent = `${state.time.toFixed(3)} s`;
        $('slider').value = state.target;
        showMatch();
        showPicked();
        showLegend();
        fill($('world'), [['bodies', numbers.bodies], ['asleep', numbers.asleep], ['resting contacts', numbers.resting],
            ['impacts so far', numbers.impactsTotal, 'impacts-total'], ['energy, J', digits(numbers.kinetic + numbers.potential, 8), 'energy-sum'],
            ['momentum, kg m/s', vector([numbers.px, numbers.py, numbers.pz])], ['engine memory', `${digits(numbers.memory / 1e6, 3)} MB`]]);
    }
    function showLegend() {
        const ramp = state.paint < 2, [low, high] = state.range, unit = state.paint ? 'm' : 'm/s';
        $('legend-bar').style.background = ramp ? `linear-gradient(90deg, ${RAMP.join(',')})` : 'none';
        $('legend-bar').hidden = !ramp;
        $('legend-low').textContent = ramp ? digits(low, 3) : '';
        $('legend-high').textContent = ramp ? `${digits(high, 3)} ${unit}` : '';
        if (state.paint !== 3) return;
        $('legend-high').replaceChildren(...Object.entries(PLAIN).flatMap(([word, colour]) => {
            const dot = document.createElement('i');
            dot.className = 'swatch';
            dot.style.setProperty('--ink', colour);
            return [dot, word];
        }));
    }
    function showPlots() {
        const css = (v) => getComputedStyle(document.documentElement).getPropertyValue(`--${v}`).trim();
        const inks = { faint: css('faint'), cursor: css('text'), same: css('good'), different: css('bad') };
        drawStrip($('strip'), history.match, state.tick, inks);
        drawPlot($('energy'), ['kinetic', 'potential', 'total'].map((k) => ({ values: history[k], ink: css(k) })), state.tick, inks, false);
        drawPlot($('impacts'), [{ values: history.impacts, ink: css('impact') }], state.tick, inks, true);
    }


    function pick(x, y) {
        const ray = camera.ray(x, y, canvas.clientWidth, canvas.clientHeight);
        state.selected = engine.pick(add(camera.eye(), origin), ray);
        if (state.selected < 0) $('follow').checked = state.follow = false;
        state.dirty = true;
        showPicked();
    }
    let pressed = null;
    canvas.addEventListener('pointerdown', (e) => { pressed = e.isPrimary ? [e.clientX, e.clientY] : null; });
    canvas.addEventListener('pointerup', (e) => {
        if (!pressed || Math.hypot(e.clientX - pressed[0], e.clientY - pressed[1]) > 5) return;
        const box = canvas.getBoundingClientRect();
        pick(e.clientX - box.left, e.clientY - box.top);
    });
    const commands = { first: () => goTo(0), back: () => goTo(state.target - 1), forth: () => goTo(state.target + 1), play: () => setPlaying(!state.playing),
        last: () => goTo(engine.ticks), fit: () => camera.fit(look()),
        unpick: () => { [state.selected, state.follow, $('follow').checked, state.dirty] = [-1, false, false, true]; showPicked(); },
        theme: () => {
            const root = document.documentElement, dark = getComputedStyle(root).colorScheme.trim() === 'dark' || (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
            root.dataset.theme = dark ? 'light' : 'dark';
            state.dirty = true;
            showPlots();
        } };
    for (const id of ['first', 'back', 'play', 'forth', 'fit', 'unpick', 'theme']) $(id).addEventListener('click', commands[id]);
    const keys = { ' ': 'play', ArrowLeft: 'back', ArrowRight: 'forth', Home: 'first', End: 'last', f: 'fit', Escape: 'unpick' };
    addEventListener('keydown', (e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === 'SELECT' || (e.key === ' ' && e.target.matches?.('button, [type=checkbox]'))) return;
        if (keys[e.key]) commands[keys[e.key]]();
        else if (!cameraKey(camera, e.key.toLowerCase())) return;
        e.preventDefault();
    });
    $('slider').max = engine.ticks;
    $('slider').addEventListener('input', () => goTo(+$('slider').value));
    $('ticks').textContent = engine.ticks;
    $('speed').append(...SPEEDS.map((s) => new Option(s === Infinity ? 'fastest' : s < 1 ? `1/${1 / s}` : `${s}×`, s, s === 1, s === 1)));
    $('speed').addEventListener('change', () => { state.speed = +$('speed').value; });
    $('paint').append(...PAINTS.map((p, k) => new Option(p, k)));
    $('paint').addEventListener('change', () => { [state.paint, state.range, state.stale, state.dirty] = [+$('paint').value, [0, 0], true, true]; });
    $('marks').addEventListener('change', () => { [state.marks, state.dirty] = [$('marks').checked, true]; });
    $('follow').addEventListener('change', () => { [state.follow, state.dirty] = [$('follow').checked, true]; });
    for (const id of ['energy', 'impacts']) {
        $(id).addEventListener('click', (e) => goTo(e.offsetX / $(id).clientWidth * engine.ticks));
    }
    new ResizeObserver(() => { state.dirty = true; showPlots(); }).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { state.dirty = true; showPlots(); });
    fill($('recording-table'), [...(engine.origin ? [['its tick 0 is', `tick ${engine.origin} of the run`]] : []),
        ['made by', `kugel ${engine.library}`], ['on', engine.build],
        ['physics epoch', engine.epoch === engine.ownEpoch ? engine.epoch : `${engine.epoch}; this page has ${engine.ownEpoch}, results may differ`]]);


    let before = performance.now();
    function frame(now) {
        try {
            const lapse = now - before;
            playOn(lapse / 1000);
            before = now;
            runSlice(lapse);
            if (state.stale && (state.target === state.tick || now > state.plotsDue)) readState();
            if (state.dirty) draw();
            if (now > state.plotsDue) {
                if (state.shown !== state.tick || state.tick !== state.target) showPlots();
                state.shown = state.tick;
                state.plotsDue = now + 120;
            }
            requestAnimationFrame(frame);
        } catch (error) {
            fail(error);
        }
    }
    note(0);
    globalThis.kugelView = { engine, camera, beams, history, state, goTo, origin };
    requestAnimationFrame(frame);
}

start().catch(fail);
