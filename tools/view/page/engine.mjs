// The engine of this page: a WebAssembly module that plays one recording.
// In: bytes of the module and of the uncompressed recording. Out: numbers and typed arrays; arrays are
// views of the module's memory, valid until the next call that seeks.

export const ROW = 12; // floats of a body: position from the origin, radius, rotation, speed, id, kind, contacts
export const KIND_ASLEEP = 4, KIND_SENSOR = 8; // flags of a row's kind, besides the type 0 ... 2 and 16 times the material's number
export const PLAY_TICK = 0, PLAY_END = 1, PLAY_DIVERGED = 2, PLAY_ERROR = 3;

const NUMBER_NAMES = ['tick', 'time', 'bodies', 'kinetic', 'potential', 'px', 'py', 'pz', 'impacts', 'impactsTotal',
    'resting', 'asleep', 'exhausted', 'memory'];

export async function openEngine(moduleBytes, recording) {
    const { instance } = await WebAssembly.instantiate(moduleBytes, {});
    const c = instance.exports;
    c._initialize();
    const text = (at, size) => {
        const bytes = new Uint8Array(c.memory.buffer, at);
        return new TextDecoder().decode(bytes.slice(0, size ?? bytes.indexOf(0)));
    };
    const doubles = (at, count) => (at ? Array.from(new Float64Array(c.memory.buffer, at, count)) : null);
    const floats = (at, count) => (count ? new Float32Array(c.memory.buffer, at, count) : new Float32Array(0));
    const room = c.view_reserve(recording.length);
    if (!room) throw new Error('The recording needs more memory than this page may have.');
    new Uint8Array(c.memory.buffer, room, recording.length).set(recording);
    if (c.view_open()) throw new Error(`The recording cannot be opened: ${text(c.view_error())}`);
    const hash = (value) => BigInt.asUintN(64, value);
    const played = (play) => {
        if (play === PLAY_ERROR) throw new Error(`The recording cannot be played on: ${text(c.view_error())}`);
        return play;
    };

    return {
        ticks: c.view_ticks(),
        origin: c.view_origin(), // world tick at the recording's tick 0
        damaged: c.view_damaged() !== 0, // data behind the ticks are wrong
        epoch: c.view_epoch(),
        ownEpoch: c.view_own_epoch(),
        library: text(c.view_library()),
        build: text(c.view_build()),
        annotation: text(c.view_annotation(), c.view_annotation_size()),
        // Go to the state after `tick` steps; a PLAY_ value.
        seek: (tick) => played(c.view_seek(tick)),
        // Run the next tick; a PLAY_ value.
        step: () => played(c.view_step()),
        // Update rows() and impacts(). These are views of the module's memory: copy them before calls that may grow it.
        read() {
            if (!c.view_read()) throw new Error('Out of memory.');
        },
        seekFrom: (tick) => c.view_seek_from(tick),
        hash: () => hash(c.view_hash()),
        recordedHash: (tick) => hash(c.view_recorded_hash(tick)),
        numbers() {
            c.view_measure();
            const values = doubles(c.view_numbers(), NUMBER_NAMES.length);
            return Object.fromEntries(NUMBER_NAMES.map((name, k) => [name, values[k]]));
        },
        rows: () => floats(c.view_rows(), ROW * c.view_row_count()),
        impacts: () => floats(c.view_impacts(), 4 * c.view_impact_count()),
        setOrigin: (x, y, z) => c.view_set_origin(x, y, z),
        bounds() {
            const b = doubles(c.view_bounds(), 12);
            return { min: b.slice(0, 3), max: b.slice(3, 6), faces: b.slice(6) };
        },
        planes() {
            const planes = [];
            for (let i = 0; i < c.view_surface_end(); ++i) {
                const p = doubles(c.view_plane(i), 4);
                if (p) planes.push({ normal: p.slice(0, 3), offset: p[3] });
            }
            return planes;
        },
        surfaces() {
            const surfaces = [];
            for (let i = 0; i < c.view_surface_end(); ++i) {
                const s = doubles(c.view_surface(i), 9);
                if (s) surfaces.push({ index: i, position: s.slice(0, 3), rotation: s.slice(3, 7), triangles: s[7], mesh: s[8] });
            }
            return surfaces;
        },
        // Corners of all triangles in the surface's frame; a copy.
        surfaceCorners(index, triangles) {
            const at = c.view_surface_corners(index);
            if (!at) throw new Error('Out of memory.');
            return floats(at, 9 * triangles).slice();
        },
        addEllipsoid(e) {
            const at = c.view_add_ellipsoid();
            if (at) new Float64Array(c.memory.buffer, at, 10).set([...e.center, ...e.semi_axes, ...(e.rotation ?? [0, 0, 0, 1])]);
        },
        body(id) {
            const b = doubles(c.view_body(id), 23);
            if (!b) return null;
            return { position: b.slice(0, 3), velocity: b.slice(3, 6), spin: b.slice(6, 9), rotation: b.slice(9, 13),
                radius: b[13], mass: b[14], restitution: b[15], friction: b[16], rolling: b[17],
                type: ['dynamic', 'static', 'kinematic'][b[18]], contacts: b[19], asleep: b[20] > 0, sensor: b[21] > 0 };
        },
        pick: (o, d) => c.view_pick(...o, ...d),
        beam(o, d, length) {
            const b = doubles(c.view_beam(...o, ...d, length), 10);
            return { kind: b[0], index: b[1], enter: b[2], leave: b[3], point: b.slice(4, 7), normal: b.slice(7, 10) };
        },
    };
}
