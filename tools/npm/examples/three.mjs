// Spheres that fall into a box, drawn with three.js: npm install kugel three, then any bundler or development server with a page
// that has <script type="module" src="three.mjs"></script>; vite's server takes optimizeDeps: { exclude: ['kugel'] }. A double
// click pushes them apart.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { bodyId, load } from 'kugel';

const COUNT = 1000, DT = 1 / 60, SIDE = 10;
const kugel = await load();
const world = kugel.createWorld({
    gravity: [0, 0, -9.81],
    bounds: { min: [0, 0, 0], max: [SIDE, SIDE, 100], faces: ['wall', 'wall', 'wall', 'wall', 'wall', 'open'], friction: 0.5 },
});
const radii = Array.from({ length: COUNT }, (_, i) => 0.25 + 0.02 * (i % 8));
const places = radii.flatMap((_, i) => [0.6 + (i % 10) + 0.01 * (i % 3), 0.6 + 0.95 * (((i / 10) | 0) % 10), 1 + 1.1 * ((i / 100) | 0)]);
world.createBodies(places, { radius: radii, mass: radii.map((radius) => radius ** 3), restitution: 0.3, friction: 0.4 });

// The scene: one instanced mesh; z is up.
const renderer = new THREE.WebGLRenderer({ antialias: true });
document.body.append(renderer.domElement);
const camera = new THREE.PerspectiveCamera(50, 1, 0.1, 500);
camera.up.set(0, 0, 1);
camera.position.set(1.8 * SIDE, -1.2 * SIDE, 1.2 * SIDE);
const controls = new OrbitControls(camera, renderer.domElement);
controls.target.set(SIDE / 2, SIDE / 2, 3);
const scene = new THREE.Scene();
scene.background = new THREE.Color(0x202428);
scene.add(new THREE.HemisphereLight(0xffffff, 0x404040, 2));
const sun = new THREE.DirectionalLight(0xffffff, 2);
sun.position.set(1, -2, 3);
scene.add(sun);
const box = new THREE.Box3(new THREE.Vector3(0, 0, 0), new THREE.Vector3(SIDE, SIDE, SIDE));
scene.add(new THREE.Box3Helper(box, 0x808080));
const balls = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 24, 16), new THREE.MeshStandardMaterial(), COUNT);
scene.add(balls);
radii.forEach((radius, i) => balls.setColorAt(i, new THREE.Color().setHSL((radius - 0.25) * 4, 0.6, 0.6)));

// Bodies that moved get a new matrix; sleeping ones keep theirs.
const matrix = new THREE.Matrix4(), place = new THREE.Vector3(), turn = new THREE.Quaternion(), size = new THREE.Vector3();
function update() {
    const { count, body, position, rotation } = world.moves();
    for (let k = 0; k < count; ++k) {
        const id = bodyId(body[k]);
        matrix.compose(place.fromArray(position, 3 * k), turn.fromArray(rotation, 4 * k), size.setScalar(radii[id]));
        balls.setMatrixAt(id, matrix);
    }
    balls.instanceMatrix.needsUpdate = true;
}

renderer.domElement.addEventListener('dblclick', () => world.explode({ center: [SIDE / 2, SIDE / 2, 0], radius: 2, falloff: 4, impulse: 0.5 }));
function resize() {
    renderer.setSize(innerWidth, innerHeight);
    camera.aspect = innerWidth / innerHeight;
    camera.updateProjectionMatrix();
}
addEventListener('resize', resize);
resize();

let last = performance.now(), due = 0;
renderer.setAnimationLoop((now) => {
    due = Math.min(due + (now - last) / 1000, 4 * DT); // a page in the background does not catch up
    last = now;
    for (; due >= DT; due -= DT) {
        world.step(DT);
        update();
    }
    controls.update();
    renderer.render(scene, camera);
});
