// The page: shows the run that its worker plays. It always shows the engine's own state.
import { ROW } from './engine.mjs';
import { extentOf, moved, upOf } from './extent.mjs';
import { cameraKey, makeCamera } from './camera.mjs';
import { makeBeams, makeSurroundings } from './surroundings.mjs';
import { makeSheets } from './sheets.mjs';
import { makeShadows } from './shadows.mjs';
import { makeBodies, makeGlows, PAINTS, PLAIN, RAMP, rangeOf, toRgb } from './draw.mjs';
import { canFilm, filmOf, save, stillOf } from './saving.mjs';
import { DIFFERENT, drawPlot, drawStrip, SAME, UNKNOWN } from './plots.mjs';
import { add, clamp, inverseOf, length, multiply, rotated, scale, sub, unit } from './math.mjs';

const SPEEDS = [0.0625, 0.125, 0.25, 0.5, 1, 2, 4, 8, Infinity];
const GLOW_TICKS = 6; // duration of an impact's glow
const SUN = unit([-0.42, 0.68, 0.6]); // towards the light: right, up and back of the first view
const $ = (id) => document.getElementById(id);

function fail(error) {
    $('message').textContent = error.message;
    $('message').hidden = false;
    console.error(error);
}

// Say why a recording ends before its time; it can be watched all the same. `damaged`: the page's own copy is.
function showEnd(ticks, damaged) {
    const why = damaged ? 'damaged in this page' : $('end').content.textContent;
    $('notice').textContent = `The recording is ${why}: it ends behind tick ${ticks}.`;
    $('notice').hidden = !why;
}

// Values of each tick that has been run here.
function makeHistory(ticks) {
    const empty = () => new Float64Array(ticks + 1).fill(NaN);
    return { match: new Uint8Array(ticks + 1), kinetic: empty(), potential: empty(), total: empty(), impacts: empty(), first: -1 };
}

// The worker plays the recording; see run.mjs. Its script and the data stand in the page.
function startWorker() {
    const url = URL.createObjectURL(new Blob([$('worker').textContent], { type: 'text/javascript' }));
    const worker = new Worker(url), answers = new Map();
    let number = 0;
    const send = (...message) => worker.postMessage(message);
    // The engine's members with answers that come later: await engine.body(0).
    const engine = new Proxy({}, { get: (_, name) => (...values) => new Promise((resolve) => {
        answers.set(++number, resolve);
        send('ask', number, name, values);
    }) });
    return { worker, send, engine, answer: ({ answer, value }) => answers.get(answer)(value) };
}

function start() {
    const name = $('name').content.textContent, { worker, send, engine, answer } = startWorker();
    let shown = null; // function that takes the states; null before the first picture
    document.title = `${name} · kugel`;
    $('title').textContent = name;
    worker.onerror = (event) => fail(new Error(event.message || 'The worker of this page does not run.'));
    worker.onmessage = ({ data }) => {
        try {
            if (data.error) throw new Error(data.error);
            if (data.opened) shown = (first) => { shown = run(data.opened, first, send, engine); };
            else if (data.shown) shown(data);
            else answer(data);
        } catch (error) {
            fail(error);
        }
    };
    send('open', $('engine').textContent, $('recording').textContent);
}

// The tick that the page's address names, as #tick=120; null: none.
const linkedTick = () => { const found = /^#tick=(\d+)$/.exec(location.hash); return found && +found[1]; };

// Antialiasing halves the speed of software renderers; balls and edges are smooth without it.
function drawsInSoftware() {
    const gl = document.createElement('canvas').getContext('webgl2'), info = gl?.getExtension('WEBGL_debug_renderer_info');
    const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
    gl?.getExtension('WEBGL_lose_context')?.loseContext();
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

// Shows the first state and returns the function that takes the others.
function run(made, first, send, engine) {
    const canvas = $('picture'), { scene, origin } = made;
    const software = drawsInSoftware(), gl = canvas.getContext('webgl2', { antialias: !software, alpha: false });
    if (!gl) throw new Error('This browser has no WebGL 2, which the picture is drawn with.');
    const state = { tick: 0, seen: 0, target: 0, playing: false, loop: false, scrubs: false, late: 0, speed: 1, paint: 0, marks: true, selected: -1, follow: false,
        range: [0, 0], dirty: true, stale: true, plotsDue: 0, dt: scene?.dt ?? 1 / 60, time: 0, waits: false };
    const history = makeHistory(made.ticks), title = $('title').textContent.replace(/\.\w+$/, '');
    const camera = makeCamera(canvas, () => { state.dirty = true; });
    const bodies = makeBodies(gl), glows = makeGlows(gl), shadows = makeShadows(gl, software), sheets = makeSheets(gl, origin), beams = makeBeams();
    const shields = (scene?.ellipsoids ?? []).map((e) => ({ ...e, center: sub(e.center, origin) }));
    let latest = first, planes = [], numbers = null, flashes = [];
    const look = () => extentOf(moved(made.bounds, origin), planes, [...shields, ...sheets.boxes()], latest.rows, ROW, upOf(scene));
    take(first);
    const around = look(), reach = around.radius || 1;
    const surroundings = makeSurroundings(gl, moved(made.bounds, origin), shields, around);
    camera.up = upOf(scene);
    camera.fit(around);
    const views = camera.axes(), sun = unit(add(add(scale(views.right, SUN[0]), scale(views.up, SUN[1])), scale(views.back, SUN[2])));


    function note({ tick, numbers: values, same, beams: shot }) {
        if (numbers && tick === numbers.tick + 1) state.dt = values.time - numbers.time || state.dt;
        numbers = { ...values, tick };
        state.time = numbers.time;
        history.kinetic[tick] = numbers.kinetic;
        history.potential[tick] = numbers.potential;
        history.total[tick] = numbers.kinetic + numbers.potential;
        beams.add(shot);
        if (tick === 0) return;
        history.impacts[tick] = numbers.impacts;
        history.match[tick] = same ? SAME : DIFFERENT;
        if (!same && (history.first < 0 || tick < history.first)) history.first = tick;
    }
    // A state of the worker.
    function take(message) {
        latest = message;
        message.notes.forEach(note);
        state.tick = message.tick;
        state.selected = message.selected;
        sheets.set(message.surfaces);
        planes = message.planes.map((p) => ({ ...p, offset: p.offset - p.normal.reduce((s, n, k) => s + n * origin[k], 0) }));
        state.stale = state.waits = true;
    }
    function goTo(tick, playing = false) {
        const target = clamp(Math.round(tick), 0, made.ticks);
        if (target !== state.target) send('goTo', target);
        state.target = target;
        if (!playing) setPlaying(false);
    }
    function select(id) {
        if (id < 0) $('follow').checked = state.follow = false;
        send('select', id);
    }
    function setPlaying(playing) {
        if (playing && state.tick === made.ticks) goTo(0, true);
        if (!playing && film.running()) film.end();
        state.playing = playing;
        state.late = 0;
        $('play').setAttribute('aria-label', playing ? 'pause' : 'play');
    }
    const film = filmOf(canvas, (file) => save(file, `${title}.webm`), (runs) => $('film').setAttribute('aria-pressed', runs));
    // The address names the tick that is shown; some hosts of pages do not let it.
    function link() {
        const hash = `#tick=${state.tick}`;
        if (state.playing || state.tick !== state.target || location.hash === hash) return;
        try {
            globalThis.history.replaceState(null, '', hash);
        } catch { /* the page works without */ }
    }
    // Ticks become due in real time; a worker that is too slow does not catch up.
    function playOn(elapsed) {
        if (!state.playing) return;
        state.late = Math.min(state.late + elapsed * state.speed, Math.max(2 * state.dt, elapsed * state.speed));
        if (state.target !== state.tick) return;
        if (state.tick === made.ticks) return state.loop ? goTo(0, true) : setPlaying(false);
        if (state.speed === Infinity) return goTo(state.tick + 16, true);
        const due = Math.floor(state.late / state.dt + 1e-9);
        state.late -= due * state.dt;
        if (due) goTo(state.tick + due, true);
    }


    const ink = (variable) => toRgb(getComputedStyle(document.documentElement).getPropertyValue(`--${variable}`).trim());
    function readState() {
        const { rows, impacts: hits } = latest, range = rangeOf(rows, state.paint);
        bodies.set(rows);
        surroundings.setPlanes(planes);
        state.range = state.paint === 0 ? [0, Math.max(state.range[1], range[1])] : range;
        state.size = rows.length ? rows[3] : reach / 50;
        flashes = flashes.filter((f) => f.tick <= state.tick && f.tick > state.tick - GLOW_TICKS && f.tick !== state.tick);
        if (hits.length) flashes.push({ tick: state.tick, hits });
        state.stale = false;
        state.dirty = true;
        state.seen = state.tick;
        showNumbers();
    }
    function glowValues() {
        const values = [];
        let strongest = 1e-30;
        for (const { hits } of flashes) for (let i = 3; i < hits.length; i += 4) strongest = Math.max(strongest, hits[i]);
        const many = clamp(60 / flashes.reduce((n, f) => n + f.hits.length / 4, 0), 0.06, 1); // limits the total brightness
        for (const f of flashes) {
            const fade = 0.6 * many * (1 - (state.tick - f.tick) / GLOW_TICKS);
            for (let i = 0; i < f.hits.length && i < 8000; i += 4) {
                values.push(f.hits[i], f.hits[i + 1], f.hits[i + 2], state.size * 1.2, fade * (0.25 + 0.75 * Math.sqrt(f.hits[i + 3] / strongest)));
            }
        }
        return values;
    }
    // What the shadows resolve: everything, or when the camera is near, what is around its target.
    function shadedBall() {
        const near = 0.7 * camera.distance;
        return near < 1.1 * reach ? { center: camera.target, radius: near } : { center: around.center, radius: 1.1 * reach };
    }
    function draw() {
        const ratio = Math.min(devicePixelRatio, 2), width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
        if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
        if (!width || !height) return;
        if (state.follow && latest.body) camera.target = sub(latest.body.position, origin); // null while the body does not exist yet
        const view = camera.view(), shaded = shadedBall(), light = shadows.matrix(sun, shaded.center, shaded.radius, 2 * reach + shaded.radius);
        const s = { view, projection: camera.projection(width, height), lens: camera.lens(width, height), eye: camera.eye(), shadows, light,
            lightOfEye: multiply(light, inverseOf(view)), sun, sunOfEye: rotated(view, sun), width, height, selected: state.selected,
            marks: state.marks, paint: state.paint, range: state.range, up: camera.up, accent: ink('accent') };
        const inks = { grid: ink('grid'), wall: ink('wall') };
        gl.enable(gl.DEPTH_TEST);
        gl.depthMask(true);
        shadows.draw(light, shaded.radius, bodies);
        gl.viewport(0, 0, width, height);
        gl.clearColor(...ink('space'), 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        gl.depthMask(false);
        surroundings.drawBehind(s, inks);
        gl.depthMask(true);
        bodies.draw(s);
        gl.depthMask(false);
        surroundings.drawBefore(s, inks);
        sheets.draw(s, ink('surface'));
        surroundings.drawShells(s, ink('shield'));
        const shots = beams.seen(state.tick + made.from);
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
        const b = latest.body;
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
        $('hash').textContent = state.tick > 0 && match !== UNKNOWN ? `0x${latest.hash.toString(16).padStart(16, '0')}` : '';
    }
    function showNumbers() {
        $('tick').textContent = state.tick;
        $('time').textContent = `${state.time.toFixed(3)} s`;
        if (!state.scrubs) $('slider').value = state.tick;
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
        if (state.paint === 4) $('legend-high').textContent = 'each material its own';
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
        $('follow').checked = state.follow = false;
        send('pick', add(camera.eye(), origin), ray);
    }
    let pressed = null;
    canvas.addEventListener('pointerdown', (e) => { pressed = e.isPrimary ? [e.clientX, e.clientY] : null; });
    canvas.addEventListener('pointerup', (e) => {
        if (!pressed || Math.hypot(e.clientX - pressed[0], e.clientY - pressed[1]) > 5) return;
        const box = canvas.getBoundingClientRect();
        pick(e.clientX - box.left, e.clientY - box.top);
    });
    const commands = { first: () => goTo(0), back: () => goTo(state.target - 1), forth: () => goTo(state.target + 1), play: () => (state.playing ? goTo(state.seen) : setPlaying(true)),
        last: () => goTo(made.ticks), fit: () => camera.fit(look()),
        unpick: () => select(-1),
        full: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
        still: () => {
            draw(); // the picture lasts until this function returns
            stillOf(canvas, (file) => save(file, `${title}-${state.tick}.png`));
        },
        film: () => {
            if (film.running()) return film.end();
            film.begin();
            setPlaying(true);
        },
        theme: () => {
            const root = document.documentElement, dark = getComputedStyle(root).colorScheme.trim() === 'dark' || (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
            root.dataset.theme = dark ? 'light' : 'dark';
            state.dirty = true;
            showPlots();
        } };
    for (const id of ['first', 'back', 'play', 'forth', 'fit', 'unpick', 'theme', 'full', 'still', 'film']) $(id).addEventListener('click', commands[id]);
    const keys = { ' ': 'play', ArrowLeft: 'back', ArrowRight: 'forth', Home: 'first', End: 'last', f: 'fit', Escape: 'unpick' };
    addEventListener('keydown', (e) => {
        if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === 'SELECT' || (e.key === ' ' && e.target.matches?.('button, [type=checkbox]'))) return;
        if (keys[e.key]) commands[keys[e.key]]();
        else if (!cameraKey(camera, e.key.toLowerCase())) return;
        e.preventDefault();
    });
    showEnd(made.ticks, made.damaged);
    $('slider').max = made.ticks;
    $('slider').addEventListener('input', () => goTo(+$('slider').value));
    $('slider').addEventListener('pointerdown', () => { state.scrubs = true; });
    for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => { state.scrubs = false; });
    $('loop').addEventListener('change', () => { state.loop = $('loop').checked; });
    $('full').hidden = !document.fullscreenEnabled;
    $('film').hidden = !canFilm(canvas);
    addEventListener('hashchange', () => { if (linkedTick() !== null) goTo(linkedTick()); });
    $('ticks').textContent = made.ticks;
    $('speed').append(...SPEEDS.map((s) => new Option(s === Infinity ? 'fastest' : s < 1 ? `1/${1 / s}` : `${s}×`, s, s === 1, s === 1)));
    $('speed').addEventListener('change', () => { state.speed = +$('speed').value; });
    $('paint').append(...PAINTS.map((p, k) => new Option(p, k)));
    $('paint').addEventListener('change', () => { [state.paint, state.range, state.stale, state.dirty] = [+$('paint').value, [0, 0], true, true]; });
    $('marks').addEventListener('change', () => { [state.marks, state.dirty] = [$('marks').checked, true]; });
    $('follow').addEventListener('change', () => { [state.follow, state.dirty] = [$('follow').checked, true]; });
    for (const id of ['energy', 'impacts']) {
        $(id).addEventListener('click', (e) => goTo(e.offsetX / $(id).clientWidth * made.ticks));
    }
    new ResizeObserver(() => { state.dirty = true; showPlots(); }).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { state.dirty = true; showPlots(); });
    fill($('recording-table'), [...(made.from ? [['its tick 0 is', `tick ${made.from} of the run`]] : []),
        ['made by', `kugel ${made.library}`], ['on', made.build],
        ['physics epoch', made.epoch === made.ownEpoch ? made.epoch : `${made.epoch}; this page has ${made.ownEpoch}, results may differ`]]);


    let before = performance.now();
    function frame(now) {
        try {
            playOn((now - before) / 1000);
            before = now;
            if (state.stale) readState();
            if (state.waits) send('next');
            state.waits = false;
            if (state.dirty) draw();
            if (now > state.plotsDue) {
                if (state.shown !== state.tick || state.tick !== state.target) showPlots();
                link();
                state.shown = state.tick;
                state.plotsDue = now + 120;
            }
            requestAnimationFrame(frame);
        } catch (error) {
            fail(error);
        }
    }
    globalThis.kugelView = { engine, camera, beams, history, state, goTo, select, origin };
    requestAnimationFrame(frame);
    if (linkedTick() !== null) goTo(linkedTick());
    else setPlaying(made.ticks > 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches);
    return take;
}

try {
    start();
} catch (error) {
    fail(error);
}
