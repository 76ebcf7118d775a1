#!/usr/bin/env node
// Render the README's pictures: six samples in the viewer's page.
// usage: make-pictures.mjs [BUILD-FOLDER [PICTURE-FOLDER]]      without: build, tools/docs/pictures
// Needs Chromium. Out: a .webp for each sample; fails when a page reports an error or a hash differs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser, startBrowser } from './browser.mjs';

// sample: tick, share of the distance at which everything is visible, turns of the camera
const PICTURES = { shields: [34, 0.85, 0, 0], pile: [70, 0.95, 0, 0], hopper: [150, 0.75, 0, -0.1],
    cannonballs: [134, 0.85, 0, 0], hourglass: [200, 0.85, 0, 0], avalanche: [150, 0.85, 0, 0] };

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const [build = join(root, 'build'), folder = join(root, 'tools/docs/pictures')] = process.argv.slice(2).map((p) => resolve(p));
const path = findBrowser();
if (!path) throw new Error('Chromium is not installed');
const work = mkdtempSync(join(tmpdir(), 'kugel-pictures-'));
mkdirSync(folder, { recursive: true });
const browser = await startBrowser(path);
try {
    for (const [sample, [tick, nearer, yaw, pitch]] of Object.entries(PICTURES)) {
        const file = join(work, `${sample}.html`);
        execFileSync(join(build, 'samples/kugel-run'), [sample, '--ticks', `${tick}`, '--quiet', '--view', file], { stdio: 'ignore' });
        const page = await browser.open(file, { width: 780, height: 460, fine: true, dark: true });
        await page.run(`document.querySelectorAll('#stage header, #legend').forEach((e) => { e.style.display = 'none'; }), kugelView.goTo(${tick})`);
        const settled = 'kugelView.state.tick === kugelView.state.target && !kugelView.state.stale && !kugelView.state.dirty';
        await page.until(settled);
        await page.press('fit');
        await page.run(`kugelView.camera.turn(${yaw}, ${pitch}), kugelView.camera.zoom(${nearer})`);
        await page.until(settled);
        if (page.errors.length || (await page.run('kugelView.history.first')) >= 0) throw new Error(`${sample}: ${page.errors.join('; ') || 'a hash differs'}`);
        await page.picture(join(folder, `${sample}.webp`), 'stage');
        await page.close();
        console.log(`${sample}: tick ${tick}`);
    }
} finally {
    await browser.close();
    rmSync(work, { recursive: true });
}
