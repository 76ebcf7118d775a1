// Saves what a canvas shows: a picture, or a film of what it shows from now on.

const FILM_TYPE = 'video/webm';

export const canFilm = (canvas) => Boolean(canvas.captureStream) && typeof MediaRecorder === 'function' && MediaRecorder.isTypeSupported(FILM_TYPE);

// Offer a file for download.
export function save(file, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(file);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export const stillOf = (canvas, done) => canvas.toBlob(done, 'image/png');

// `done` takes the file of a film that has ended; `changed` whether one runs.
export function filmOf(canvas, done, changed) {
    let recorder = null;
    return {
        running: () => Boolean(recorder),
        begin() {
            const parts = [];
            recorder = new MediaRecorder(canvas.captureStream(), { mimeType: FILM_TYPE, videoBitsPerSecond: 12e6 });
            recorder.ondataavailable = ({ data }) => parts.push(data);
            recorder.onstop = () => done(new Blob(parts, { type: FILM_TYPE }));
            recorder.start();
            changed(true);
        },
        end() {
            recorder.stop();
            recorder = null;
            changed(false);
        },
    };
}
