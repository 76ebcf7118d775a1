// Starts worker.mjs and takes its positions. Bundlers find the worker by this form of its address. node.mjs runs it under node.
const worker = new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });
let ticks = 0;

function take({ ready, tick, positions, hash }) {
    if (ready) worker.postMessage({ bodies: 100, ticks: 120 });
    if (tick) ticks = tick;
    if (tick === 120) console.log(`${positions.length / 3} bodies, lowest at ${Math.min(...positions.filter((_, k) => k % 3 === 2)).toFixed(2)} m`);
    if (hash !== undefined) {
        console.log(`${ticks} ticks, hash 0x${hash.toString(16).padStart(16, '0')}`);
        worker.terminate();
    }
}

worker.addEventListener('message', (event) => take(event.data));
