/* See outputs.h. Trajectories are exports; events, series, forces, recording and page are files. */
#include "outputs.h"

#include <errno.h>
#include <string.h>

#include "arrays.h"

enum { EXPORTS = 3, FILES = 5, RECORD = 3 /* first file of the recording */ };
static const char *const export_flags[EXPORTS] = {"--csv", "--export", "--video"};
static const char *const file_flags[FILES] = {"--events", "--series", "--forces", "--record",
                                              "--view"};

static exporter *export_of(outputs *out, int k)
{
    exporter *const exporters[EXPORTS] = {&out->csv, &out->export, &out->video};
    return exporters[k];
}

static atomic_file *file_of(outputs *out, int k)
{
    atomic_file *const files[FILES] = {&out->events, &out->series, &out->forces, &out->record,
                                       &out->page};
    return files[k];
}

/* Name of the recording's output in messages. */
static const char *recorded_to(const outputs *out)
{
    static char text[256];
    bool record = out->record.file;
    snprintf(text, sizeof text, "%s: %s", record ? "--record" : "--view",
             record ? out->record.name : out->page.name);
    return text;
}

int outputs_open(outputs *out)
{
    const options *o = out->options;
    const char *trajectories[EXPORTS] = {o->csv, o->export, o->video};
    const char *formats[EXPORTS] = {"csv", o->format, "video"};
    const char *files[FILES] = {o->events, o->series, o->forces, o->record, o->view};
    out->beams = schedule_make(out->scene->beams, arrlenu(out->scene->beams), sizeof(beam));
    out->checker.scene = out->scene;
    for (int k = 0; k < EXPORTS; ++k) {
        const char *name = trajectories[k];
        if (!name || export_open(export_of(out, k), export_find(formats[k], name), name, &o->look))
            continue;
        return complain(EXIT_RESOURCES, "%s: %s: %s", export_flags[k], name,
                        export_problem(export_of(out, k)));
    }
    for (int k = 0; k < FILES; ++k) {
        if (!files[k] || atomic_file_open(file_of(out, k), files[k])) continue;
        return complain(EXIT_RESOURCES, "%s: %s: %s", file_flags[k], files[k], strerror(errno));
    }
    if (out->page.file && !viewing_open(&out->viewing))
        return complain(EXIT_RESOURCES, "--view: %s: %s", out->page.name, strerror(errno));
    out->event_rows.scene = out->scene;
    out->event_rows.to = out->events.file;
    out->series_rows.to = out->series.file;
    out->force_rows.scene = out->scene;
    out->force_rows.to = out->forces.file;
    if (out->events.file) fputs(events_head, out->events.file);
    if (out->series.file) fputs(series_head, out->series.file);
    if (out->forces.file) fputs(forces_head, out->forces.file);
    return 0;
}

static bool write_recording(void *user, const void *data, size_t size)
{
    outputs *out = user;
    FILE *file = out->record.file;
    bool written = !file || (fwrite(data, 1, size, file) == size && fflush(file) == 0);
    written = written && viewing_take(&out->viewing, data, size);
    if (!written && !out->record_errno) out->record_errno = errno;
    return written;
}

static int recording_failed(const outputs *out, kugel_status status)
{
    const char *why =
        status == KUGEL_ERROR_IO ? strerror(out->record_errno) : kugel_status_text(status);
    return complain(EXIT_RESOURCES, "%s: cannot be written: %s", recorded_to(out), why);
}

/* Give the recording its name while it grows, because it is readable at any time, also after a
 * killed run. Print the temporary name if a file of that name exists. */
static void publish(atomic_file *record)
{
    atomic_file_publish(record);
    if (!record->temporary) return;
    complain(EXIT_DONE,
             "--record: %s: note: exists and stays until the run ends; the recording grows in %s",
             record->name, record->temporary);
}

int outputs_record(outputs *out, kugel_world *world, const char *text, size_t size)
{
    const options *o = out->options;
    if (o->forces) kugel_world_sum_impulses(world, true);
    if (!o->record && !o->view) return 0;
    kugel_recording_def def = kugel_recording_def_default();
    def.write = write_recording;
    def.user = out;
    def.annotation = text;
    def.annotation_size = size;
    def.states = o->states && o->record; /* a page needs no states */
    def.ring_ticks = o->last;
    kugel_status status = kugel_world_recording_start(world, &def);
    if (status) return recording_failed(out, status);
    if (!o->last) publish(&out->record);
    return 0;
}

void outputs_mark(const outputs *out, kugel_world *world)
{
    const options *o = out->options;
    if (o->record || o->view) kugel_world_recording_mark(world);
}

/* Print a note if what comes at `tick` comes after the last tick of the run. */
static void note_late(const outputs *out, uint64_t first, const char *what, uint64_t tick)
{
    typedef unsigned long long ull;
    uint64_t last = out->scene->ticks;
    if (last <= first || tick <= last) return;
    complain(EXIT_DONE, "%s: note: %s is due after the last tick, %llu: at tick %llu",
             out->options->scene, what, (ull)last, (ull)tick);
}

void outputs_note_late(const outputs *out, uint64_t first)
{
    const options *o = out->options;
    uint64_t every = o->checkpoint_ticks;
    if (o->forces)
        note_late(out, first, "accumulate: the first row of --forces",
                  forces_first_row(out->scene, first));
    if (every) note_late(out, first, "--checkpoint: the first one", (first / every + 1) * every);
}

/* Close the recording and write the page. */
static int end_recording(outputs *out, kugel_world *world, bool keep)
{
    if (!world || (!out->record.file && !out->page.file)) return EXIT_DONE;
    kugel_status status = KUGEL_OK;
    if (out->options->last && keep)
        status = kugel_world_recording_dump(world, write_recording, out);
    kugel_status stopped = kugel_world_recording_stop(world);
    if (!keep) return EXIT_DONE;
    if (status || stopped) return recording_failed(out, status ? status : stopped);
    return out->page.file ? viewing_write(&out->viewing, out->options->scene, &out->page)
                          : EXIT_DONE;
}

static int cannot_write(const char *flag, const char *name, const char *why)
{
    return complain(EXIT_RESOURCES, "%s: %s: cannot be written: %s", flag, name, why);
}

static int write_frames(outputs *out, const kugel_world *world, const step_span *step)
{
    for (int k = 0; k < EXPORTS && step->tick % out->options->every == 0; ++k) {
        exporter *to = export_of(out, k);
        uint32_t pieces = to == &out->export ? out->pieces : 0;
        if (!export_add(to, world, step->tick, step->end, pieces))
            return cannot_write(export_flags[k], to->file.name, export_problem(to));
    }
    return 0;
}

/* Stop at the first write error, not at the end of the run. */
static int check_outputs(outputs *out, const kugel_world *world)
{
    kugel_status status = kugel_world_recording_status(world);
    if (status) return recording_failed(out, status);
    for (int k = 0; k < FILES; ++k) {
        if (!atomic_file_good(file_of(out, k)))
            return cannot_write(file_flags[k], file_of(out, k)->name, strerror(errno));
    }
    return 0;
}

/* Beams of this state. */
static bool shoot_beams(outputs *out, const kugel_world *world, const step_span *step)
{
    bool ok = true;
    schedule_skip(&out->beams, step->tick);
    for (size_t i; out->events.file && ok && schedule_next(&out->beams, step->tick, &i);)
        ok = write_beam(out->events.file, out->scene, world, i, step->tick, step->end);
    return ok;
}

static bool add_rows(outputs *out, const kugel_world *world, const step_span *step)
{
    event_rows *events = &out->event_rows;
    bool first = step->start == step->end;
    bool no_row = first && step->tick > 0; /* a snapshot lacks the impacts of its last tick */
    if (events->to && !(first ? events_begin(events, world) : write_events(events, world, step)))
        return false;
    return shoot_beams(out, world, step) &&
           (!out->series.file || no_row || series_add(&out->series_rows, world, step)) &&
           (!out->forces.file || forces_add(&out->force_rows, world, step));
}

int outputs_add(outputs *out, const kugel_world *world, const step_span *step)
{
    if (!add_rows(out, world, step))
        return complain(EXIT_RESOURCES, "%s: tick %llu: out of memory", out->options->scene,
                        (unsigned long long)step->tick);
    int code = write_frames(out, world, step);
    if (!code) code = check_outputs(out, world);
    if (code || !out->options->check) return code;
    return check_run(&out->checker, world, out->options->scene, step->tick);
}

int outputs_note_acts(outputs *out, const kugel_world *world, const acts *acts)
{
    if (acts->pushed) check_allow(&out->checker, world);
    if (acts->changed) check_forget(&out->checker);
    if (!acts->changed || !out->events.file) return 0;
    resting_free(&out->event_rows.resting);
    if (events_begin(&out->event_rows, world)) return 0;
    return complain(EXIT_RESOURCES, "%s: out of memory", out->options->scene);
}

/* Close output k, or remove it. */
static int finish(outputs *out, int k, bool keep)
{
    exporter *to = k < EXPORTS ? export_of(out, k) : NULL;
    atomic_file *file = to ? &to->file : file_of(out, k - EXPORTS);
    const char *name = file->name, *flag = to ? export_flags[k] : file_flags[k - EXPORTS];
    if (!keep) {
        if (to) export_abandon(to);
        else atomic_file_abandon(file);
        return EXIT_DONE;
    }
    if (to ? export_finish(to) : atomic_file_finish(file)) return EXIT_DONE;
    return cannot_write(flag, name, to ? export_problem(to) : strerror(errno));
}

int outputs_close(outputs *out, kugel_world *world, int code, bool started)
{
    bool keep = run_is_whole(code);
    /* a failed run keeps the ticks of --last, unless writing the recording failed */
    bool last = out->options->last && started && kugel_world_recording_status(world) == KUGEL_OK;
    int failed = end_recording(out, world, keep || last);
    if (failed) keep = last = false;
    viewing_close(&out->viewing);
    for (int k = 0; k < EXPORTS + FILES; ++k) {
        bool recording = k >= EXPORTS + RECORD;
        int closed = finish(out, k, keep || (last && recording));
        if (!closed) continue;
        if (!failed) failed = closed;
        keep = false, last = last && !recording;
    }
    resting_free(&out->event_rows.resting);
    series_free(&out->series_rows);
    forces_free(&out->force_rows);
    schedule_free(&out->beams);
    check_end(&out->checker);
    return run_is_whole(code) && failed ? failed : code;
}
