/* export and seek: trajectories from the played world. */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

/* The world's bodies, read in bulk. */
typedef struct row_set {
    uint32_t count, room;
    uint32_t *ids;
    double *position, *velocity, *spin;
} row_set;

static bool read_rows(row_set *rows, const kugel_world *world)
{
    uint32_t n = kugel_world_body_count(world);
    if (n > rows->room) {
        rows->room = n;
        rows->ids = realloc(rows->ids, n * sizeof *rows->ids);
        rows->position = realloc(rows->position, (size_t)n * 3 * sizeof(double));
        rows->velocity = realloc(rows->velocity, (size_t)n * 3 * sizeof(double));
        rows->spin = realloc(rows->spin, (size_t)n * 3 * sizeof(double));
        if (!rows->ids || !rows->position || !rows->velocity || !rows->spin) return false;
    }
    rows->count = kugel_world_read(world, n, rows->ids, rows->position, rows->velocity, rows->spin);
    return true;
}

static void free_rows(row_set *rows)
{
    free(rows->ids);
    free(rows->position);
    free(rows->velocity);
    free(rows->spin);
}

static const char csv_head[] = "tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n";

static void print_csv(FILE *to, const row_set *rows, uint64_t tick, double time)
{
    for (size_t i = 0; i < rows->count; ++i) {
        const double *x = rows->position + 3 * i, *v = rows->velocity + 3 * i, *w = rows->spin + 3 * i;
        fprintf(to, "%llu,%.17g,%u,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", (unsigned long long)tick, time,
                rows->ids[i], x[0], x[1], x[2], v[0], v[1], v[2], w[0], w[1], w[2]);
    }
}

/* Extended XYZ: one frame a tick. */
static void print_xyz(FILE *to, const row_set *rows, uint64_t tick, double time)
{
    fprintf(to, "%u\nProperties=species:S:1:pos:R:3:velo:R:3:id:I:1 tick=%llu time=%.17g\n", rows->count,
            (unsigned long long)tick, time);
    for (size_t i = 0; i < rows->count; ++i) {
        const double *x = rows->position + 3 * i, *v = rows->velocity + 3 * i;
        fprintf(to, "S %.17g %.17g %.17g %.9g %.9g %.9g %u\n", x[0], x[1], x[2], v[0], v[1], v[2], rows->ids[i]);
    }
}

/* Tick 0 is the world with all inputs before the first step. */
static int export_all(recording *r, bool csv, FILE *to)
{
    row_set rows = {0};
    kugel_play play = kugel_player_inputs(r->player);
    int code = 0;
    if (csv) fputs(csv_head, to);
    if (play != KUGEL_PLAY_ERROR) {
        if (!read_rows(&rows, kugel_player_world(r->player))) return complain(EXIT_RESOURCES, "%s: out of memory", r->name);
        (csv ? print_csv : print_xyz)(to, &rows, 0, 0);
    }
    while ((play = kugel_player_step(r->player, NULL)) == KUGEL_PLAY_TICK || play == KUGEL_PLAY_DIVERGED) {
        const kugel_world *world = kugel_player_world(r->player);
        if (!read_rows(&rows, world)) {
            code = complain(EXIT_RESOURCES, "%s: out of memory", r->name);
            break;
        }
        (csv ? print_csv : print_xyz)(to, &rows, kugel_world_tick(world), kugel_world_time(world));
        progress(kugel_world_tick(world), r->info.ticks);
    }
    if (play == KUGEL_PLAY_ERROR) code = complain(EXIT_USAGE, "%s: %s", r->name, kugel_player_error(r->player)->message);
    free_rows(&rows);
    return code;
}

int command_export(const char *file, const char *format, const char *to)
{
    if (!format || !to) return complain(EXIT_USAGE, "export: needs --format csv|xyz and -o OUT");
    bool csv = strcmp(format, "csv") == 0;
    if (!csv && strcmp(format, "xyz") != 0) {
        static const char *const later[] = {"npy", "vtp", "lammps"};
        for (size_t k = 0; k < 3; ++k) {
            if (strcmp(format, later[k]) == 0) return complain(EXIT_USAGE, "--format: %s is not available yet", format);
        }
        return complain(EXIT_USAGE, "--format: must be csv or xyz, got '%s'", format);
    }
    recording r;
    output out;
    int code = recording_open(&r, file, 1);
    if (code) return code;
    code = output_open(&out, to);
    if (!code) {
        code = export_all(&r, csv, out.file);
        if (code) output_abandon(&out);
        else code = output_finish(&out);
    }
    recording_close(&r);
    return code;
}

int command_seek(const char *file, const char *text)
{
    char *end;
    unsigned long long tick = strtoull(text, &end, 10);
    if (*end || end == text || text[0] == '-') return complain(EXIT_USAGE, "seek: '%s' is not a tick", text);
    recording r;
    int code = recording_open(&r, file, 1);
    if (code) return code;
    if (tick > r.info.ticks) {
        code = complain(EXIT_USAGE, "seek: tick %llu is not in 0 ... %llu", tick, (unsigned long long)r.info.ticks);
    } else {
        row_set rows = {0};
        kugel_play play = kugel_player_inputs(r.player);
        for (unsigned long long t = 0; t < tick && play != KUGEL_PLAY_ERROR; ++t) play = kugel_player_step(r.player, NULL);
        const kugel_world *world = kugel_player_world(r.player);
        if (play == KUGEL_PLAY_ERROR || !read_rows(&rows, world)) {
            code = complain(EXIT_RESOURCES, "%s: cannot be played to tick %llu", file, tick);
        } else {
            fputs(csv_head, stdout);
            print_csv(stdout, &rows, tick, kugel_world_time(world));
        }
        free_rows(&rows);
    }
    recording_close(&r);
    return code;
}
