// Plots over the ticks, and the strip of ticks that were run here and verified.
// In: arrays with a value a tick, NaN if unknown. Out: pictures in canvases.

export const UNKNOWN = 0, SAME = 1, DIFFERENT = 2;

function fresh(canvas) {
    const ratio = Math.min(devicePixelRatio, 2), width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    return { context, width, height };
}

// Range of the known values of the ticks in each column.
function columnsOf(values, width) {
    const out = new Array(width).fill(null), last = Math.max(values.length - 1, 1);
    for (let t = 0; t < values.length; ++t) {
        const v = values[t];
        if (!Number.isFinite(v)) continue;
        const x = Math.min(width - 1, Math.floor(t / last * width));
        if (!out[x]) out[x] = [v, v];
        else out[x] = [Math.min(out[x][0], v), Math.max(out[x][1], v)];
    }
    return out;
}

function cursor(context, tick, count, width, height, ink) {
    const x = Math.min(width - 1, Math.floor(tick / Math.max(count - 1, 1) * width)) + 0.5;
    context.strokeStyle = ink;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
}

// curves: {values, ink}; bars start at 0, lines connect minimum and maximum.
export function drawPlot(canvas, curves, tick, inks, bars) {
    const { context, width, height } = fresh(canvas);
    if (width < 2) return;
    const sets = curves.map((c) => columnsOf(c.values, Math.floor(width)));
    const known = sets.flat().filter(Boolean);
    const count = curves[0].values.length;
    let low = Math.min(0, ...known.map((c) => c[0])), high = Math.max(0, ...known.map((c) => c[1]));
    if (!(high > low)) high = low + 1;
    const y = (v) => 4 + (height - 8) * (1 - (v - low) / (high - low));
    context.fillStyle = inks.faint;
    context.fillRect(0, Math.round(y(0)), width, 1);
    const wide = Math.max(width / count, 1); // of a bar
    sets.forEach((columns, k) => {
        context.strokeStyle = context.fillStyle = curves[k].ink;
        context.lineWidth = 1.5;
        context.beginPath();
        let pen = false;
        columns.forEach((c, x) => {
            if (c && bars) context.fillRect(x, y(c[1]), wide, Math.max(y(0) - y(c[1]), c[1] > 0 ? 1 : 0));
            if (!c || bars) return;
            if (pen) context.lineTo(x, y(c[0]));
            else context.moveTo(x, y(c[0]));
            context.lineTo(x, y(c[1]));
            pen = true;
        });
        if (!bars) context.stroke();
    });
    cursor(context, tick, count, width, height, inks.cursor);
}

export function drawStrip(canvas, states, tick, inks) {
    const { context, width, height } = fresh(canvas);
    const count = states.length;
    context.fillStyle = inks.faint;
    context.fillRect(0, 0, width, height);
    for (let t = 0, end; t < count; t = end) { // runs of equal ticks
        for (end = t + 1; end < count && states[end] === states[t];) end += 1;
        if (states[t] === UNKNOWN) continue;
        context.fillStyle = states[t] === SAME ? inks.same : inks.different;
        context.fillRect(t / count * width, 0, Math.max((end - t) / count * width, 1), height);
    }
    cursor(context, tick, count, width, height, inks.cursor);
}
