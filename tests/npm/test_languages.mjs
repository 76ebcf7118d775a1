// One list of calls gives the same results in Python and JavaScript: every call that both have, by its name in Python here.
// tests/python/play_calls.py describes the list and makes the calls in Python.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const build = process.env.KUGEL_BUILD, source = process.env.KUGEL_SOURCE, [, , python] = process.argv;
const { bodyId, KugelError, load } = await import(join(build, 'tools/npm/node.mjs'));
const kugel = await load();

// The calls.

const calls = [], world = (name, positional = [], named = null, result = null) => calls.push(['world', name, positional, named, result]);
const other = (owner, name, positional = [], named = null, result = null) => calls.push([owner, name, positional, named, result]);
const player = (name, ...positional) => other('player', name, positional), module = (name, positional, result) => other('kugel', name, positional, null, result);
const call = (name) => ({ function: name }), number = (x) => ({ number: String(x) });
const step = (count, dt = 1 / 60) => { for (let k = 0; k < count; ++k) world('step', [dt]); };
const up = [0, 0, 1], down = [0, 0, -1], origin = [0, 0, 0], square = { vertices: [[-4, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0]], triangles: [[0, 1, 2], [0, 2, 3]] };

function look() {
    world('sensor_bodies', ['$gate']), world('surface_bodies', ['$area']);
    for (const name of ['hash', 'tick', 'time', 'body_count', 'id_end', 'stats', 'energy', 'impact_events', 'begin_events', 'end_events', 'sleep_events', 'wake_events', 'sensor_events', 'moves', 'surface_moves', 'contacts', 'impulse_sums', 'surfaces',
        'read', 'read_arrays', 'read_states', 'pair_filter_key', 'recording_error', 'clone']) world(name);
}

function query() {
    const filters = [{}, { mask: 2 }, { category: 1, mask: 1, group: 3 }, { sensors: true }, { targets: 'bodies' }, { targets: ['bodies', 'surfaces'] }, { targets: ['faces', 'surfaces'] },
        { accept: call('even') }, { targets: 'all', sensors: true, accept: call('even'), mask: 1 }];
    const along = [[-19, 0.1, 3], [1, 0, -0.01]], starts = [[0.3, 0.2, 20], [1, 1, 20], [-8, 0, 9]];
    world('prepare_queries');
    for (const filter of filters) {
        const all = { ray_closest: [[...along, 35]], ray_any: [[...along, 35]], ray_all: [[...along, 90], [[0.3, 0.2, 20], [0, 0.01, -1], 50]], rays_closest: [[starts, down, 40], [starts, down, [3, 40, 50]]],
            cast_closest: [[along[0], [30, 0, 0], 0.5, 1]], cast_any: [[along[0], [30, 0, 0], 0.5, 1]], cast_all: [[[0, 0, 20], [0, 0.1, -10], 0.7, 3]],
            overlap_sphere: [[[0, 0, 2], 3]], overlap_box: [[[-2, -2, -1], [2, 3, 4]]], overlap_ellipsoid: [[[0, 0, 3], [3, 2, 1], [0, 0, 0.6, 0.8]]],
            nearest: [[[0, 0, 2.5], 7, 100], [[0, 0, 2.5], 300, 2], [[0, 0, 2.5], 0, 1]], plane_side: [[up, 3, 0], [up, 3, -1], [up, 3, 1]] };
        for (const [name, given] of Object.entries(all)) for (const positional of given) world(name, positional, filter);
    }
}

other('World', null, [], { gravity: [0, 0, -9.81], bounds: { min: [-20, -20, -1], max: [20, 20, 30], faces: ['periodic', 'periodic', 'wall', 'wall', 'wall', 'open'] } });
world('user_data=', [12345]), world('user_data'), world('get_def');
world('create_plane', [], { normal: up, offset: -0.5, friction: 0.4, restitution: 0.1 }, 'ground'), world('create_plane', [], { normal: [0, 0.6, 0.8], offset: -15 }, 'slope');
world('create_surface', [], { ...square, position: [0, 0, 2], friction: 0.3, one_sided: true, user_data: 7 }, 'sheet');
world('create_surface', [], { shape: 'plane', position: [0, 0, -0.9] }, 'floor');
world('create_surface', [], { shape: 'ellipsoid', size: [1, 2, 0.5], position: [8, 0, 1], rotation: [0, 0, 0.6, 0.8], spin: up }, 'egg');
world('create_surface', [], { shape: 'capsule', size: [0.5, 1, 0], position: [-8, 0, 1], velocity: [0, 0, 0.1] }, 'capsule');
world('create_surface', [], { shape: 'cone', size: [1, 0.25, 1], position: [0, 9, 1] }, 'cone');
world('create_surface', [], { shape: 'box', size: [1, 2, 3], position: [0, -9, 1], sensor: true }, 'area');
other('shapes', 'rectangle', [], { corner: [1, 2, 3], a: [2, 0, 0], b: [0, 3, 0] }), other('shapes', 'box', [], { half: [1, 2, 0.5] });
other('shapes', 'disc', [], { center: origin, normal: [0, 0.6, 0.8], radius: 2, segments: 12 }), other('shapes', 'capsule', [], { from: origin, to: [1, 0, 2], radius: 0.5, segments: 8 });
other('shapes', 'cone', [], { from: origin, to: [0, 0, 2], radius_from: 1, radius_to: 0.5, segments: 12, caps: 'from' });
for (let i = 0; i < 120; ++i) {
    world('create_body', [], { position: [(i % 6) * 1.1 - 3, ((i / 6) | 0) % 5 * 1.1 - 2.5, 3 + ((i / 30) | 0) * 1.2], velocity: [i % 3 - 1, 0, 0], spin: [0, 0.5, 0], radius: 0.3 + 0.01 * (i % 7), mass: 1 + i % 4,
        restitution: (i % 5) / 5, friction: 0.3, rolling_resistance: 0.01, tangential_restitution: i % 7 / 3 - 1, category: i % 3 ? 1 : 2, user_data: i * 2 ** 33, gravity_scale: i % 11 ? 1 : 0.5, density: i % 13 ? 0 : 2 }, `ball ${i}`);
}
world('create_body', [], { position: [0, 0, 5], radius: 2, type: 'static', sensor: true }, 'gate');
world('create_bodies', [[[15, 15, 9], [15, 15, 11], [15, 12, 9]]], { radius: [0.5, 0.6, 0.7], velocity: [[0, 0, 1], [0, 1, 0], [1, 0, 0]], spin: [0, 0, 1], type: ['dynamic', 'static', 'kinematic'], user_data: [1, 2, 3], restitution: 0.5 });
world('create_body', [], { position: [6, 6, 3], type: 'kinematic', velocity: [0.5, 0, 0], image: [1, 0, 0], rotation: [0, 0, 1, 0] }, 'paddle');
world('create_surface', [], { shape: 'ellipsoid', size: [2, 1, 3], position: [0, -8, 2], category: 2 ** 20, mask: 2 ** 20 }, 'shield'), world('set_surface_pose', ['$shield', [0, -9, 2]]);
world('set_pair_filter', [call('decide'), 2]);
other('start', null, [], { annotation: 'note', keyframe_ticks: 20 }), world('mark_recording');
look(), query(), step(1), look();
world('save', [], {}, 'first'), step(20), look(), query();

const numbers = { set_mass: 3, set_radius: 0.35, set_gravity_scale: -0.5, set_user_data: 2 ** 40 };
Object.entries(numbers).forEach(([name, value], k) => world(name, [`$ball ${k}`, value]));
const vectors = ['set_position', 'set_velocity', 'set_spin', 'apply_force', 'apply_torque', 'apply_impulse', 'apply_angular_impulse'];
vectors.forEach((name, k) => world(name, [`$ball ${10 + k}`, name === 'set_position' ? [10, 10, 5] : [1, 0, 2]]));
world('set_rotation', ['$ball 20', [0, 1, 0, 0]]), world('set_filter', ['$ball 21'], { category: 4, mask: 7, group: 2 }), world('set_filter', ['$ball 22'], {});
world('set_sensor', ['$ball 30', true]), world('set_can_sleep', ['$ball 31', false]), world('set_enabled', ['$ball 32', false]), world('set_contact_events', ['$ball 34', false]), world('set_locks', ['$ball 35', 'rotation']), world('set_locks', ['$ball 36', ['linear_z', 'angular_x']]), world('velocity_at', ['$ball 33', [1, 2, 3]]);
world('set_type', ['$ball 23', 'static']), world('set_type', ['$ball 24', 'kinematic']), world('set_type', ['$ball 24', 'dynamic', 2.5]), world('set_image', ['$ball 25', [3, 0, 0]]);
world('set_material', ['$ball 26', 0.9, 0.8, 0.1, -0.5]), world('set_kind', ['$ball 27', 5]), world('set_surface_kind', ['$cone', 6]);
world('set_pair_material', [0, 5, { restitution: 0.9, friction: 0.1 }]), world('set_pair_material', [6, 0, { restitution: 0.5, friction: 1, rolling_resistance: 0.1, tangential_restitution: 0.75 }]), world('set_pair_material', [5, 5, null]);
for (const pair of [[5, 0], [0, 6], [5, 5], [70, 0]]) world('get_pair_material', pair);
 world('set_damping', ['$ball 26', 0.5, 2]);
world('draw_velocities', [0.5, 0.1, 7]), world('set_temperature', [0.75]);
world('apply_force', ['$ball 26', [1, 0, 0], [0, 0, 3]]), world('apply_impulse', ['$ball 27', [1, 0, 0], [0, 0, 3]]);
world('set_target', ['$paddle', [6, 7, 3], null, 1 / 60]), world('set_target', ['$paddle', null, [0, 0, 0, 1], 1 / 60]);
world('explode', [], { center: up, radius: 3, falloff: 1, impulse: 0.5, mask: 1 });
world('set_surface_pose', ['$floor', [0, 0, -0.95]]), world('set_surface_pose', ['$cone', [0, 9, 2], [0, 0, 1, 0]]), world('set_surface_motion', ['$sheet', [0, 0, 0.2]]);
world('set_surface_motion', ['$capsule', [0, 0, 0.2], [0, 1, 0]]), world('set_surface_tangent_velocity', ['$floor', [0.1, 0, 0]]), world('set_surface_material', ['$cone', 0.1, 0.4]), world('set_surface_filter', ['$egg'], { category: 4, mask: 2 }), world('set_surface_filter', ['$egg'], {}), world('set_surface_target', ['$egg', [8, 0, 1.1], null, 0.1]), world('set_surface_target', ['$egg', null, [0, 0, 0, 1], 0.1]);
world('set_surface_user_data', ['$cone', 99]), world('get_surface_user_data', ['$cone']), world('get_surface_user_data', ['$sheet']);
world('set_gravity', [[0, 0, -9]]), world('set_growth', [0]), world('destroy_body', ['$ball 28']);
for (const k of [1, 5, 28, 119]) for (const name of ['is_valid', 'get_body', 'get_position', 'get_velocity', 'get_spin', 'get_rotation', 'get_user_data', 'contacts']) world(name, [`$ball ${k}`]);
world('body', [28]), world('body', [29]), world('body', [4294967295]), world('report_impacts_above', [0.3]), world('sum_impulses', [true]), world('read_arrays', ['radius', 'asleep']);
world('write_arrays', [['$ball 34', '$ball 35']], { velocity: [[0, 0, 1], [0, 1, 0]], spin: [[1, 0, 0], [0, 0, 2]], mass: [2, 3] }), world('write_arrays', [['$ball 34']], { mass: [-1] });
step(31), look(), query();
for (const index of [0, 4, 77]) world('surface', [index]);
world('destroy_surface', ['$cone']), world('set_pair_filter', [call('decide'), 1]), step(10);
for (const surface of ['$cone', '$sheet']) world('is_valid', [surface]), world('set_surface_user_data', [surface, 3]);
world('destroy_surface', ['$ball 1']), world('destroy_body', ['$sheet']);
world('save', [], {}, 'second'), world('save', [], { meshes: false }, 'light'), module('check_snapshot', ['$light']);
for (const [a, b] of [['$first', '$second'], ['$second', '$second'], ['$light', '$second']]) module('snapshot_difference', [a, b]);
module('make_delta', ['$first', '$second'], 'delta'), module('apply_delta', ['$first', '$delta'], 'again'), module('snapshot_difference', ['$second', '$again']);
step(60), look();
other('stop', null, [], null, 'recording');
world('restore', ['$again']), look(), world('sleep', ['$ball 40']), world('wake', ['$ball 40']), step(3, 1 / 30), look(), world('set_pair_filter', [null]);
other('start', null, [], { ring_ticks: 4, states: false }), step(11), other('dump', null, [], null, 'dump'), other('stop', null, [], null, 'empty');
world('sync_test', [], { ticks: 5, dt: 1 / 60, input: call('push') }), look(), world('sync_test', [], { ticks: 8, input: call('push_once') }), look();
world('interpolate_positions', [[[19, 0, 0], origin], [[-19, 1, 0], [1, 1, 1]], 0.25]), module('interpolate_rotations', [[[0, 0, 0, 1]], [[0, 0, 1, 0]], 0.25]);

for (const recording of ['$recording', '$dump']) {
    other('Player', null, [recording]);
    player('info'), player('annotation'), player('tick'), player('cache_keyframes', 1 << 20), player('step'), player('set_pair_filter', call('decide')), player('seek', 0), player('step');
    player('seek', 4), player('tick'), other('played'), player('hash', 4), player('step'), player('verify'), player('tick'), player('step'), player('hash', 0), player('hash', 1), player('hash', 100000);
    player('set_pair_filter', call('always')), player('verify'), player('tick'), player('step'), player('set_pair_filter', call('fail')), player('verify'), player('set_pair_filter', null), player('verify');
    player('seek', -1), player('seek', 100000);
}

// Refused calls: the same argument is named.
const wrong = {
    step: [[0], [-1]], set_gravity: [[[0, 0, number(NaN)]]], destroy_surface: [[77]], set_surface_pose: [[77, origin]], set_surface_motion: [[77, origin]], set_surface_tangent_velocity: [[77, origin]], sensor_bodies: [['$ball 1'], [99999]], surface_bodies: [['$sheet'], [77]], set_surface_target: [['$sheet', null, null, 1]],
    get_surface_user_data: [[77]], set_surface_user_data: [[77, 1]], get_position: [[99999]], contacts: [[99999]], destroy_body: [['$ball 28']], get_body: [['$ball 28']], set_mass: [[99999, 1], ['$ball 1', -1]],
    set_material: [['$ball 1', 2]], set_kind: [['$ball 1', 64], ['$ball 1', -1]], set_surface_kind: [[77, 1], ['$sheet', 64]], set_pair_material: [[64, 0, {}], [0, 99, null], [0, 1, { restitution: 2 }]], set_growth: [[-1]], set_temperature: [[-1]], draw_velocities: [[-1], [1, 2], [1, 1, -1]], set_target: [['$ball 1', origin, null, 1]], set_image: [['$ball 1', up]], sleep: [['$ball 12']], body: [[-1]], read_arrays: [['masses']], report_impacts_above: [[-1]],
    ray_closest: [[[number(NaN), 0, 0], up, 1], [origin, up, -1], [origin, up, number(Infinity)]], ray_any: [[origin, [1, 0, 0], 1e12]], rays_closest: [[[origin], up, -1], [[origin], [1, 0, 0], 1e12]],
    cast_all: [[origin, up, -1, 1]], overlap_sphere: [[origin, -1], [origin, 1e9]], overlap_box: [[origin, [-1, 0, 0]]], overlap_ellipsoid: [[origin, [-1, 0, 0], [0, 0, 0, 1]]],
    nearest: [[origin, 1, number(NaN)], [origin, -1, 1]], plane_side: [[[0, 0, 2], 0, 1], [up, 0, 2]], interpolate_positions: [[[origin], [up], 2]], restore: [['$recording']],
};
for (const [name, given] of Object.entries(wrong)) for (const positional of given) world(name, positional);
for (const def of [{ radius: -1 }, { type: 'static', velocity: up }, { position: [0, 0, -40] }, { colour: 1 }, { mask: -1 }, { position: [1, 2] }, { type: 'gas' }]) world('create_body', [], def);
for (const def of [{ radius: [1, -1] }, { radius: [1, 2, 3] }, { colour: 1 }, { type: ['gas', 'static'] }]) world('create_bodies', [[[15, 15, 20], [15, 15, 30]]], def);
for (const def of [{ shape: 'ellipsoid', size: [1, 0, 1] }, { ...square, triangles: [[0, 1, 9]] }]) world('create_surface', [], def);
world('create_plane', [], { normal: [0, 0, 2] }), world('explode', [], { radius: -1 }), world('explode', [], {});
world('sync_test', [], { ticks: 0 }), world('sync_test', [], { dt: -1 }), world('sync_test', [], { input: call('fail') }), other('stop', null, [], null, 'none'), other('dump', null, [], null, 'none');
module('check_snapshot', ['$recording']), module('apply_delta', ['$second', '$delta']), module('make_delta', ['$second', '$recording']), module('snapshot_difference', ['$second', '$recording']);
module('snapshot_difference', ['$delta', '$second']), other('Player', null, ['$second']), world('overlap_sphere', [origin, 9], { accept: call('fail') });
world('set_pair_filter', [call('fail'), 1]), step(2), look();
for (const def of [{ gravity: [0, 0, number(NaN)] }, { bounds: { max: [-1, 1, 1] } }, { bounds: { faces: 'glass' } }, { substeps: -5 }, {}]) other('World', null, [], def);
look(), query(), step(1), look();
player('close'), player('close'), player('hash', 1), world('destroy'), world('destroy'), world('step', [1]), world('tick');

// The calls in JavaScript.

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), snake = (name) => name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const results = {}, cHandle = (handle) => BigInt(handle - bodyId(handle)) * 64n + BigInt(bodyId(handle));
let runs = 0, made = null, played = null;
const push = (owner, tick) => { if (tick % 2) owner.applyImpulse(results['ball 50'], [0, 0, 0.1]); };
const functions = {
    even: (target, handle) => (target === 'body' ? bodyId(handle) : handle) % 2 === 0, always: () => true, push, push_once: (owner) => { if (++runs === 12) push(owner, 1); }, fail: () => { throw new RangeError('fail'); },
    decide: (pair, key) => {
        pair.friction *= 0.5;
        return (bodyId(pair.a) + bodyId(pair.b) + bodyId(pair.surface)) % (Number(key) + 3) !== 0;
    },
};

// An argument; keys are bigints.
function given(value, isKey) {
    if (typeof value === 'string' && value[0] === '$') return results[value.slice(1)];
    if (Array.isArray(value)) return value.flat().map((x) => given(x)); // rows of numbers are one list
    if (value && typeof value === 'object') {
        if (value.function) return functions[value.function];
        if (value.number) return Number(value.number);
        return Object.fromEntries(Object.entries(value).map(([name, x]) => [camel(name), given(x)]));
    }
    return isKey && typeof value === 'number' ? BigInt(value) : value;
}

// A result as that of C: handles are words of 64 bits there. `name`: of the member or call.
const HANDLES = ['a', 'b', 'body', 'bodies', 'sensor', 'handle', 'surface', 'create_plane', 'create_surface', 'create_body', 'create_bodies', 'sensor_bodies', 'surface_bodies'];
function plain(value, name) {
    if (value?.hash && value.createBody) return plain(value.hash());
    if (typeof value === 'number' && HANDLES.includes(name)) return plain(cHandle(value));
    if (typeof value?.count === 'number' && value[Symbol.iterator]) return Array.from(value, (row) => plain(row));
    if (typeof value === 'bigint') return value < 2n ** 53n ? Number(value) : String(value);
    if (ArrayBuffer.isView(value) || Array.isArray(value)) return Array.from(value, (x) => plain(x, name));
    if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([name, x]) => [snake(name), plain(x, name)]));
    return value ?? null;
}

function make([owner, name, positional, named, result]) {
    const values = positional.map((x, k) => given(x, name === 'set_pair_filter' && k === 1)), more = named && given(named);
    let value = null;
    if (owner === 'World') value = made = kugel.createWorld(more);
    else if (owner === 'Player') played = kugel.openPlayer(values[0]);
    else if (owner === 'start') made.startRecording(more);
    else if (owner === 'stop') results[result] = made.stopRecording();
    else if (owner === 'dump') results[result] = made.dumpRecording();
    else if (owner === 'played') value = played.world();
    else if (owner === 'shapes') value = kugel.shapes[camel(name)](more);
    else if (name.endsWith('=')) [made[camel(name.slice(0, -1))]] = values;
    else {
        const on = { world: made, player: played, kugel }[owner], member = on[camel(name)];
        value = typeof member === 'function' ? member.apply(on, more ? [...values, more] : values) : member;
        if (result) results[result] = value;
    }
    return ['save', 'make_delta', 'apply_delta'].includes(name) ? null : plain(value, name);
}

const found = calls.map((entry) => {
    try {
        return { value: make(entry) };
    } catch (error) {
        assert.ok(error instanceof KugelError ? !error.argument.includes('_') : error.message === 'fail', `${JSON.stringify(entry)}: ${error.stack}`);
        return { error: error instanceof KugelError ? { argument: error.argument.split(' ').map(snake).join(' '), status: error.status } : null };
    }
});

// The comparison.

const done = spawnSync(python, [join(source, 'tests/python/play_calls.py'), build], { input: JSON.stringify(calls), maxBuffer: 2 ** 30, encoding: 'utf8' });
if (done.status === 77) {
    console.log('skipped: Python: no numpy (Debian: python3-numpy)');
    process.exit(77);
}
assert.equal(done.status, 0, done.stderr);
const { names, results: expected } = JSON.parse(done.stdout);

const VARIES = ['memory', 'bytes']; // of the world, and of a recording, which JavaScript does not pack
const ALONE = ['cookie', 'code', 'body_capacity', 'allocator', 'log', 'tasks', 'clock', 'vertex_count', 'triangle_count', 'hit', 'expected_hash', 'found_hash', 'located', 'expected_bits', 'found_bits', 'library', 'build', 'annotation',
    'annotation_size', 'count', 'user_data']; // members that one language has alone; user_data: of the definition of a world
const without = new Set();
function compare(here, there, path) {
    if (here === null && there?.hit === false) return; // a ray without a hit
    if (typeof here !== 'object' || typeof there !== 'object' || !here || !there || Array.isArray(here) !== Array.isArray(there)) return assert.deepEqual(here, there, path);
    if (Array.isArray(here)) assert.equal(here.length, there.length, path);
    for (const name of new Set([...Object.keys(here), ...Object.keys(there)])) {
        if (ALONE.includes(name) && !(name in here && name in there)) without.add(name);
        else if (!VARIES.includes(name)) compare(here[name], there[name], `${path}.${name}`);
    }
}
calls.forEach((entry, k) => {
    const path = `${k}: ${JSON.stringify(entry).slice(0, 200)}`;
    if ('error' in expected[k] && expected[k].error === null) assert.ok('error' in found[k], path);
    else compare(found[k], expected[k], path);
});
assert.deepEqual(ALONE.filter((name) => !without.has(name)), [], 'members that both languages have');

// Each name that both languages have is called.
const called = new Set([...calls.map(([, name]) => name), 'start_recording', 'stop_recording', 'dump_recording', 'world']); // the last ones: start, stop, dump, played
for (const [name, owner] of [['World', made], ['Player', played]]) {
    const own = [...Object.getOwnPropertyNames(Object.getPrototypeOf(owner)), ...Object.keys(owner)].map(snake);
    assert.deepEqual(own.filter((member) => names[name].includes(member) && !called.has(member)), [], `calls of ${name} that the list lacks`);
}
console.log(`${calls.length} calls, ${found.filter((result) => 'error' in result).length} of them refused`);
