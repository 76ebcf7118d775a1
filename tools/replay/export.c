/* export and seek: states of the played world as text. A number in a table is written so that the same
 * double comes back (positions), or with 9 digits, as SCENE's csv has it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

/* Where a table is written, and what it needs besides the rows. */
typedef struct writer {
    FILE *to;
    row_set rows;
    double *radius;    /* by id */
    kugel_body *known; /* whose radius that is */
    uint32_t room;
    double dt, time; /* of the first tick; of the tick before */
    bool even;       /* all ticks had that dt */
} writer;

typedef bool write_tick(writer *table, const kugel_world *world, uint64_t tick, double time);

/* The scene's clock: tick times dt while dt is constant, as a run of the scene prints it. */
static double table_time(writer *table, const kugel_world *world, uint64_t tick)
{
    double time = kugel_world_time(world);
    if (tick == 1) table->dt = time;
    table->even = tick == 0 || (table->even && table->time + table->dt == time);
    table->time = time;
    return table->even ? (double)tick * table->dt : time;
}

static void table_free(writer *table)
{
    rows_free(&table->rows);
    free(table->radius);
    free(table->known);
}

/* ---- csv ---- */

static const char csv_head[] = "tick,time,id,x,y,z,vx,vy,vz,wx,wy,wz\n";

static bool write_csv(writer *table, const kugel_world *world, uint64_t tick, double time)
{
    row_set *rows = &table->rows;
    if (!rows_read(rows, world)) return false;
    for (size_t i = 0; i < rows->count; ++i) {
        const double *x = rows->position + 3 * i;
        const double *v = rows->velocity + 3 * i;
        const double *w = rows->spin + 3 * i;
        fprintf(table->to, "%llu,%.17g,%u,%.17g,%.17g,%.17g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n",
                (unsigned long long)tick, time, rows->ids[i], x[0], x[1], x[2], v[0], v[1], v[2],
                w[0], w[1], w[2]);
    }
    return true;
}

/* ---- extended xyz: a frame a tick ---- */

static bool reserve_radii(writer *table, uint32_t room)
{
    if (room <= table->room) return true;
    double *radius = realloc(table->radius, room * sizeof *radius);
    if (radius) table->radius = radius;
    kugel_body *known = realloc(table->known, room * sizeof *known);
    if (known) table->known = known;
    if (!radius || !known) return false;
    memset(known + table->room, 0, (room - table->room) * sizeof *known);
    table->room = room;
    return true;
}

/* Radii never change: a body is asked once. */
static double radius_of(writer *table, const kugel_world *world, uint32_t id)
{
    kugel_body body = kugel_world_body(world, id);
    kugel_body_state state;
    if (table->known[id] != body && kugel_body_get(world, body, &state) == KUGEL_OK) {
        table->known[id] = body;
        table->radius[id] = state.radius;
    }
    return table->radius[id];
}

static bool write_xyz(writer *table, const kugel_world *world, uint64_t tick, double time)
{
    row_set *rows = &table->rows;
    if (!rows_read(rows, world) || !reserve_radii(table, kugel_world_id_end(world))) return false;
    fprintf(table->to,
            "%u\nProperties=species:S:1:pos:R:3:velo:R:3:radius:R:1:id:I:1 tick=%llu time=%.17g\n",
            rows->count, (unsigned long long)tick, time);
    for (size_t i = 0; i < rows->count; ++i) {
        const double *x = rows->position + 3 * i;
        const double *v = rows->velocity + 3 * i;
        fprintf(table->to, "S %.17g %.17g %.17g %.9g %.9g %.9g %.9g %u\n", x[0], x[1], x[2], v[0],
                v[1], v[2], radius_of(table, world, rows->ids[i]), rows->ids[i]);
    }
    return true;
}

/* ---- commands ---- */

static int write_all(tape *r, write_tick *write, FILE *to)
{
    writer table = {.to = to};
    int code = 0;
    for (uint64_t tick = 0; tick <= r->info.ticks && !code; ++tick) {
        if (kugel_player_seek(r->player, tick) != KUGEL_PLAY_TICK) {
            code = tape_failed(r);
            break;
        }
        const kugel_world *world = kugel_player_world(r->player);
        double time = table_time(&table, world, tick);
        if (!write(&table, world, tick, time)) {
            code = complain(EXIT_RESOURCES, "%s: out of memory", r->name);
        } else if (ferror(to)) {
            code = complain(EXIT_RESOURCES, "cannot write: %s", strerror(errno));
        }
        progress(tick, r->info.ticks);
    }
    progress_end();
    table_free(&table);
    return code;
}

static int find_format(const settings *options, write_tick **write)
{
    static const char *const later[] = {"npy", "vtp", "lammps"};
    const char *format = options->format;
    if (!format || !options->out) return complain(EXIT_USAGE, "export: needs --format and -o OUT");
    *write = strcmp(format, "csv") == 0 ? write_csv : strcmp(format, "xyz") == 0 ? write_xyz : NULL;
    if (*write) return 0;
    for (size_t k = 0; k < sizeof later / sizeof *later; ++k) {
        if (strcmp(format, later[k]) != 0) continue;
        return complain(EXIT_USAGE, "--format: %s is not available yet", format);
    }
    return complain(EXIT_USAGE, "--format: must be csv or xyz, got '%s'", format);
}

int command_export(const char *file, const settings *options)
{
    write_tick *write;
    tape r;
    output out;
    int code = find_format(options, &write);
    if (!code) code = tape_open(&r, file, options);
    if (code) return code;
    code = output_open(&out, options->out);
    if (!code) {
        if (write == write_csv) fputs(csv_head, out.file);
        code = write_all(&r, write, out.file);
        if (code) output_abandon(&out);
        else code = output_finish(&out);
    }
    if (!code && r.info.damaged) code = tape_complete(&r);
    tape_close(&r);
    return code;
}

/* Run to the tick; the bar counts on the way. */
static int seek(tape *r, uint64_t tick)
{
    writer table = {.to = stdout};
    double time = 0;
    int code = 0;
    for (uint64_t t = 0; t <= tick; ++t) {
        if (kugel_player_seek(r->player, t) != KUGEL_PLAY_TICK) return tape_failed(r);
        time = table_time(&table, kugel_player_world(r->player), t);
        progress(t, tick);
    }
    progress_end();
    fputs(csv_head, stdout);
    if (!write_csv(&table, kugel_player_world(r->player), tick, time)) {
        code = complain(EXIT_RESOURCES, "%s: out of memory", r->name);
    }
    table_free(&table);
    return code;
}

int command_seek(const char *file, const char *text, const settings *options)
{
    char *end;
    errno = 0;
    unsigned long long tick = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno) {
        return complain(EXIT_USAGE, "seek: '%s' is not a tick", text);
    }
    tape r;
    int code = tape_open(&r, file, options);
    if (code) return code;
    unsigned long long last = r.info.ticks;
    if (tick > last) {
        code =
            complain(EXIT_USAGE, "%s: there is no tick %llu, the last is %llu", r.name, tick, last);
    } else {
        code = seek(&r, tick);
    }
    tape_close(&r);
    return code;
}
