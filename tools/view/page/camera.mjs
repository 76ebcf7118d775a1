// A camera that orbits a target: mouse, touch and keys. In: gestures on an element. Out: eye, axes and
// matrices; `changed` is called when they change.
import { add, clamp, cross, dot, scale, sub, unit, tangents } from './math.mjs';

const FIELD = 40 * Math.PI / 180; // of view, along the shorter side
const STEEPEST = 1.55; // rad; straight above, left and right are undefined

export function makeCamera(element, changed) {
    const camera = { target: [0, 0, 0], distance: 10, yaw: 3.55, pitch: 0.4, up: [0, 0, 1], reach: 10 };

    camera.axes = () => {
        const [east, north] = tangents(camera.up);
        const level = add(scale(east, Math.cos(camera.yaw)), scale(north, Math.sin(camera.yaw)));
        const back = add(scale(level, Math.cos(camera.pitch)), scale(camera.up, Math.sin(camera.pitch)));
        const right = unit(cross(camera.up, back));
        return { right, up: cross(back, right), back };
    };
    camera.eye = () => add(camera.target, scale(camera.axes().back, camera.distance));
    // Frame a box: moves to the distance at which its bounding ball is almost visible, or its corners are.
    camera.fit = ({ center, half, radius }) => {
        const { right, up, back } = camera.axes(), { focal } = camera.lens(element.clientWidth || 1, element.clientHeight || 1);
        camera.target = center;
        camera.reach = Math.max(radius, 1e-6);
        camera.distance = camera.reach / Math.sin(FIELD / 2) * 0.92;
        for (let corner = 0; corner < 8; ++corner) {
            const at = half.map((x, k) => (corner >> k & 1 ? x : -x)), side = Math.max(Math.abs(dot(at, right)) * focal[0], Math.abs(dot(at, up)) * focal[1]);
            camera.distance = Math.max(camera.distance, dot(at, back) + side);
        }
        changed();
    };
    // focal[k] is half the picture along an axis at distance 1, inverted.
    camera.lens = (width, height) => {
        const f = 1 / Math.tan(FIELD / 2), least = Math.min(width, height);
        return { focal: [f * least / width, f * least / height],
            near: Math.max(camera.distance - 60 * camera.reach, camera.distance / 500),
            far: camera.distance + 60 * camera.reach };
    };
    camera.view = () => {
        const { right, up, back } = camera.axes(), eye = camera.eye();
        return new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
            -dot(right, eye), -dot(up, eye), -dot(back, eye), 1]);
    };
    camera.projection = (width, height) => {
        const { focal, near, far } = camera.lens(width, height);
        return new Float32Array([focal[0], 0, 0, 0, 0, focal[1], 0, 0, 0, 0, (near + far) / (near - far), -1,
            0, 0, 2 * near * far / (near - far), 0]);
    };
    // The direction of the ray through a point of the picture; x right, y down, in its own pixels.
    camera.ray = (x, y, width, height) => {
        const { right, up, back } = camera.axes(), { focal } = camera.lens(width, height);
        const a = (2 * x / width - 1) / focal[0], b = (1 - 2 * y / height) / focal[1];
        return unit(sub(add(scale(right, a), scale(up, b)), back));
    };
    // Position of a point in the picture; null behind the eye.
    camera.project = (point, width, height) => {
        const { right, up, back } = camera.axes(), { focal } = camera.lens(width, height);
        const from = sub(point, camera.eye()), depth = -dot(from, back);
        if (depth <= 0) return null;
        return [(1 + dot(from, right) / depth * focal[0]) * width / 2, (1 - dot(from, up) / depth * focal[1]) * height / 2];
    };

    camera.turn = (yaw, pitch) => {
        camera.yaw += yaw;
        camera.pitch = clamp(camera.pitch + pitch, -STEEPEST, STEEPEST);
        changed();
    };
    camera.zoom = (factor) => {
        camera.distance = clamp(camera.distance * factor, camera.reach * 1e-3, camera.reach * 50);
        changed();
    };
    camera.move = (x, y) => { // in pixels of the element
        const { right, up } = camera.axes(), { clientWidth: w, clientHeight: h } = element;
        const step = 2 * camera.distance / camera.lens(w, h).focal[1] / h;
        camera.target = add(camera.target, add(scale(right, -x * step), scale(up, y * step)));
        changed();
    };
    listen(element, camera);
    return camera;
}

function listen(element, camera) {
    const fingers = new Map();
    element.addEventListener('pointerdown', (e) => {
        element.setPointerCapture(e.pointerId);
        fingers.set(e.pointerId, [e.clientX, e.clientY]);
    });
    element.addEventListener('pointermove', (e) => {
        const before = fingers.get(e.pointerId);
        if (!before) return;
        const dx = e.clientX - before[0], dy = e.clientY - before[1];
        const others = [...fingers].filter(([id]) => id !== e.pointerId).map(([, at]) => at);
        fingers.set(e.pointerId, [e.clientX, e.clientY]);
        if (others.length) { // two fingers: spread to zoom, push to move
            const far = (at) => Math.hypot(at[0] - others[0][0], at[1] - others[0][1]) || 1;
            camera.zoom(far(before) / far([e.clientX, e.clientY]));
            camera.move(dx / 2, dy / 2);
        } else if (e.buttons & 2 || e.shiftKey) camera.move(dx, dy);
        else camera.turn(-dx * 0.008, dy * 0.008);
    });
    for (const end of ['pointerup', 'pointercancel']) element.addEventListener(end, (e) => fingers.delete(e.pointerId));
    element.addEventListener('wheel', (e) => {
        e.preventDefault();
        camera.zoom(Math.exp(clamp(e.deltaY, -100, 100) * 0.002));
    }, { passive: false });
    element.addEventListener('contextmenu', (e) => e.preventDefault());
}

// Keys of the camera; true if the key was used.
export function cameraKey(camera, key) {
    const turns = { a: [-0.1, 0], d: [0.1, 0], w: [0, 0.1], s: [0, -0.1] };
    if (turns[key]) camera.turn(...turns[key]);
    else if (key === 'q' || key === '-') camera.zoom(1.1);
    else if (key === 'e' || key === '+') camera.zoom(1 / 1.1);
    else return false;
    return true;
}
