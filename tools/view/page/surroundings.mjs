// Bounds, planes, ellipsoids and beams. Positions are relative to the origin of the rows.
import { OPEN, WALL } from './extent.mjs';
import { add, axesOf, cross, dot, multiply, placed, scale, sub, tangents, unit } from './math.mjs';
import { EDGE_FRAGMENT, EDGE_VERTEX, LINE_FRAGMENT, LINE_VERTEX, makeProgram, MOST_CUTS, PATCH_FRAGMENT, PATCH_VERTEX, SHELL_FRAGMENT,
    SHELL_VERTEX } from './shaders.mjs';

const BEAM_TICKS = 12; // visible duration of a beam
const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

// Spacing of grid lines: 1, 2 or 5 times a power of ten.
function gridStep(reach) {
    const power = 10 ** Math.floor(Math.log10(reach / 4));
    return [1, 2, 5, 10].map((k) => k * power).find((s) => s >= reach / 8);
}

// The bounds, with open sides where the bodies end.
function boxOf(bounds, around) {
    const [min, max] = [0, 1].map((high) => [0, 1, 2].map((k) => (bounds.faces[2 * k + high] !== OPEN ? (high ? bounds.max : bounds.min)[k]
        : around.center[k] + (high ? 1 : -1) * around.half[k])));
    return { faces: bounds.faces, min, max };
}

function boxPatches({ min, max, faces }) {
    const patches = [], middle = scale(add(min, max), 0.5), half = scale(sub(max, min), 0.5);
    for (let f = 0; f < 6; ++f) {
        const k = f >> 1, a = (k + 1) % 3, b = (k + 2) % 3, high = f % 2 === 1;
        if (faces[f] !== WALL) continue;
        const normal = scale(AXES[k], high ? -1 : 1), at = [...middle];
        at[k] = (high ? max : min)[k];
        patches.push({ middle: at, u: AXES[a], v: AXES[b], normal, offset: dot(normal, at), fade: 0, extent: [half[a], half[b]] });
    }
    return patches;
}

// Edges along closed sides; from and to of each.
function boxEdges({ min, max, faces }) {
    const at = [];
    for (let k = 0; k < 3; ++k) {
        const a = (k + 1) % 3, b = (k + 2) % 3;
        for (let c = 0; c < 4; ++c) {
            const f = 2 * a + (c & 1), g = 2 * b + (c >> 1);
            if (faces[f] === OPEN || faces[g] === OPEN) continue;
            const from = [0, 0, 0];
            from[a] = c & 1 ? max[a] : min[a];
            from[b] = c >> 1 ? max[b] : min[b];
            from[k] = min[k];
            const to = [...from];
            to[k] = max[k];
            at.push(...from, ...to);
        }
    }
    return at;
}

// A ball of triangles, radius 1.
function unitBall() {
    const at = [], rings = 24, columns = 48;
    const corner = (i, j) => {
        const p = Math.PI * i / rings, q = 2 * Math.PI * j / columns;
        return [Math.sin(p) * Math.cos(q), Math.sin(p) * Math.sin(q), Math.cos(p)];
    };
    for (let i = 0; i < rings; ++i) {
        for (let j = 0; j < columns; ++j) {
            const [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            at.push(...a, ...b, ...c, ...a, ...c, ...d);
        }
    }
    return new Float32Array(at);
}

function fixedArray(gl, values) {
    const array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    return { array, buffer, count: values.length / 3 };
}

function edgeArray(gl, values) {
    const array = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
    for (const end of [0, 1]) {
        gl.enableVertexAttribArray(end);
        gl.vertexAttribPointer(end, 3, gl.FLOAT, false, 24, 12 * end);
        gl.vertexAttribDivisor(end, 1);
    }
    return { array, count: values.length / 6 };
}

// bounds from the engine, ellipsoids from the scene; all relative to the origin. around: what is framed.
export function makeSurroundings(gl, bounds, ellipsoids, around) {
    const patch = makeProgram(gl, PATCH_VERTEX, PATCH_FRAGMENT), shell = makeProgram(gl, SHELL_VERTEX, SHELL_FRAGMENT);
    const line = makeProgram(gl, LINE_VERTEX, LINE_FRAGMENT), edge = makeProgram(gl, EDGE_VERTEX, EDGE_FRAGMENT);
    const reach = around.radius || 1, box = boxOf(bounds, around), edges = edgeArray(gl, boxEdges(box)), ball = fixedArray(gl, unitBall());
    const ribbon = fixedArray(gl, new Float32Array(0)), walls = boxPatches(box), grid = gridStep(reach);
    const shells = ellipsoids.map((e) => {
        const axes = axesOf(e.rotation ?? [0, 0, 0, 1]).map((a, k) => scale(a, e.semi_axes[k]));
        return placed(...axes, e.center);
    });
    const wide = 3 * reach;
    let floors = [], patches = [];
    // The planes of the state, from the engine.
    function setPlanes(planes) {
        floors = planes.map(({ normal, offset }) => {
            const [u, v] = tangents(normal);
            return { middle: scale(normal, offset), u, v, normal, offset, extent: [wide, wide], fade: 1 };
        });
        patches = [...floors, ...walls];
        for (const p of patches) { // bodies are inside of all planes and walls: what is outside of another one is not seen
            const others = patches.filter((o) => o !== p).slice(0, MOST_CUTS);
            p.cuts = new Float32Array(others.flatMap((o) => [...o.normal, o.offset - 1e-4 * reach]));
        }
    }

    const faces = (s, p) => dot(sub(s.eye, p.middle), p.normal) > 0;
    function drawPatch(s, p, strength) {
        gl.uniform3fv(patch.uniforms.middle, p.middle);
        gl.uniform3fv(patch.uniforms.u, p.u);
        gl.uniform3fv(patch.uniforms.v, p.v);
        gl.uniform3fv(patch.uniforms.normal, p.normal);
        gl.uniform2fv(patch.uniforms.extent, p.extent);
        gl.uniform2f(patch.uniforms.shift, ...(p.fade ? [0, 0] : p.extent));
        gl.uniform1f(patch.uniforms.fade, p.fade);
        gl.uniform1f(patch.uniforms.strength, strength);
        gl.uniform1i(patch.uniforms.cut_count, p.cuts.length / 4);
        if (p.cuts.length) gl.uniform4fv(patch.uniforms.cuts, p.cuts);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    function drawPatches(s, inks, drawn, strength) {
        gl.useProgram(patch.program);
        gl.uniformMatrix4fv(patch.uniforms.both, false, multiply(s.projection, s.view));
        gl.uniform1f(patch.uniforms.grid, grid);
        gl.uniform3fv(patch.uniforms.ink, inks.grid);
        gl.uniform3fv(patch.uniforms.wall, inks.wall);
        gl.uniform3fv(patch.uniforms.sun, s.sun);
        s.shadows.use(patch.uniforms, s.light);
        gl.bindVertexArray(null);
        for (const p of drawn) drawPatch(s, p, strength);
    }

    return {
        setPlanes,
        // What is behind all bodies: planes and walls that face the eye.
        drawBehind: (s, inks) => drawPatches(s, inks, patches.filter((p) => faces(s, p)), 0.92),
        // What is before the bodies: planes seen from behind, and all edges. Walls are seen from within only.
        drawBefore(s, inks) {
            drawPatches(s, inks, floors.filter((p) => !faces(s, p)), 0.1);
            gl.useProgram(edge.program);
            gl.uniformMatrix4fv(edge.uniforms.both, false, multiply(s.projection, s.view));
            gl.uniform2f(edge.uniforms.size, s.width, s.height);
            gl.uniform1f(edge.uniforms.near, s.lens.near);
            gl.uniform4f(edge.uniforms.ink, ...inks.grid, 0.6);
            gl.bindVertexArray(edges.array);
            gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, edges.count);
        },
        drawShells(s, ink) {
            gl.useProgram(shell.program);
            gl.uniformMatrix4fv(shell.uniforms.view, false, s.view);
            gl.uniformMatrix4fv(shell.uniforms.projection, false, s.projection);
            gl.uniform3fv(shell.uniforms.ink, ink);
            gl.bindVertexArray(ball.array);
            for (const model of shells) {
                gl.uniformMatrix4fv(shell.uniforms.model, false, model);
                gl.drawArrays(gl.TRIANGLES, 0, ball.count);
            }
        },
        // beams: {from, to, strength} of each, drawn as ribbons facing the eye
        drawBeams(s, beams, ink) {
            gl.useProgram(line.program);
            gl.uniformMatrix4fv(line.uniforms.both, false, multiply(s.projection, s.view));
            gl.bindVertexArray(ribbon.array);
            gl.bindBuffer(gl.ARRAY_BUFFER, ribbon.buffer);
            for (const { from, to, strength } of beams) {
                for (const [wide, alpha] of [[0.012, 0.25], [0.004, 1]]) {
                    const side = scale(unit(cross(sub(to, from), sub(s.eye, scale(add(from, to), 0.5)))), wide * reach);
                    const at = [sub(from, side), add(from, side), sub(to, side), add(to, side)].flat();
                    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(at), gl.DYNAMIC_DRAW);
                    gl.uniform4f(line.uniforms.ink, ...ink, strength * alpha);
                    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
                }
            }
        },
    };
}

// Beams fade after the tick that shows them first.
export function makeBeams() {
    const known = [];
    return {
        add: (beams) => known.push(...beams),
        seen: (tick) => known.filter((b) => tick >= b.tick && tick < b.tick + BEAM_TICKS)
            .map((b) => ({ ...b, strength: 1 - (tick - b.tick) / BEAM_TICKS })),
    };
}
