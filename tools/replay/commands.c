/* verify, info, diff. */
#include <string.h>

#include "replay.h"

static int played_with_error(const recording *r)
{
    const kugel_error *error = kugel_player_error(r->player);
    int code = error->status == KUGEL_ERROR_OUT_OF_MEMORY ? EXIT_RESOURCES : EXIT_USAGE;
    return complain(code, "%s: %s: %s", r->name, error->argument, error->message);
}

static void say_if_cut(const recording *r)
{
    if (r->info.closed && !r->info.lost) return;
    printf("%s was not closed: read up to tick %llu, %llu bytes after it are cut or damaged\n", r->name,
           (unsigned long long)r->info.ticks, (unsigned long long)r->info.lost);
}

int command_verify(const char *file, uint32_t threads)
{
    recording r;
    int code = recording_open(&r, file, threads);
    if (code) return code;
    kugel_divergence divergence;
    kugel_play play;
    uint64_t ticks = 0;
    while ((play = kugel_player_step(r.player, &divergence)) == KUGEL_PLAY_TICK) progress(++ticks, r.info.ticks);
    if (play == KUGEL_PLAY_ERROR) {
        code = played_with_error(&r);
    } else if (play == KUGEL_PLAY_DIVERGED) {
        print_divergence(&divergence, "recorded", "found");
        code = EXIT_DIFFERENT;
    } else {
        say_if_cut(&r);
        printf("identical: %llu ticks\n", (unsigned long long)ticks);
    }
    recording_close(&r);
    return code;
}

int command_info(const char *file)
{
    recording r;
    int code = recording_open(&r, file, 1);
    if (code) return code;
    const kugel_recording_info *info = &r.info;
    printf("format %u\nphysics epoch %u\nlibrary %s\nbuild %s\nticks %llu\nbytes %llu\nlost %llu\nclosed %s\nstates %s\n",
           info->format, info->physics_epoch, info->library, info->build, (unsigned long long)info->ticks,
           (unsigned long long)info->bytes, (unsigned long long)info->lost, info->closed ? "yes" : "no",
           info->states ? "yes" : "no");
    printf("scene %zu bytes\n", info->annotation_size);
    recording_close(&r);
    return 0;
}

/* Values of one body on both sides; names as the player's. */
static bool compare_values(const double *a, const double *b, const char *what, kugel_divergence *out)
{
    for (int k = 0; k < 3; ++k) {
        if (a[k] == b[k]) continue;
        snprintf(out->field, sizeof out->field, "%s.%c", what, "xyz"[k]);
        out->expected = a[k];
        out->found = b[k];
        memcpy(&out->expected_bits, &a[k], sizeof a[k]);
        memcpy(&out->found_bits, &b[k], sizeof b[k]);
        return out->located = true;
    }
    return false;
}

/* The first body and field in which two worlds differ. */
static void locate(const kugel_world *a, const kugel_world *b, kugel_divergence *out)
{
    uint32_t end = kugel_world_id_end(a) > kugel_world_id_end(b) ? kugel_world_id_end(a) : kugel_world_id_end(b);
    for (uint32_t id = 0; id < end && !out->located; ++id) {
        kugel_body_state p, q;
        bool in_a = kugel_body_get(a, kugel_world_body(a, id), &p) == KUGEL_OK;
        bool in_b = kugel_body_get(b, kugel_world_body(b, id), &q) == KUGEL_OK;
        out->body = id;
        if (in_a != in_b) {
            snprintf(out->field, sizeof out->field, "body");
            out->expected = in_a;
            out->found = in_b;
            out->located = true;
        } else if (in_a) {
            (void)(compare_values(p.position, q.position, "position", out) ||
                   compare_values(p.velocity, q.velocity, "velocity", out) ||
                   compare_values(p.spin, q.spin, "spin", out));
        }
    }
}

/* Recorded states of both, where both have them: they say more than a run of this build can. */
static bool locate_recorded(const recording *a, const recording *b, kugel_divergence *out)
{
    const uint32_t *ids[2];
    const double *values[2][3];
    uint32_t n = kugel_player_state(a->player, &ids[0], &values[0][0], &values[0][1], &values[0][2]);
    uint32_t m = kugel_player_state(b->player, &ids[1], &values[1][0], &values[1][1], &values[1][2]);
    static const char *const names[3] = {"position", "velocity", "spin"};
    if (n != m || n == 0 || memcmp(ids[0], ids[1], n * sizeof *ids[0]) != 0) return false;
    for (size_t i = 0; i < n; ++i) {
        for (int f = 0; f < 3; ++f) {
            out->body = ids[0][i];
            if (compare_values(values[0][f] + 3 * i, values[1][f] + 3 * i, names[f], out)) return true;
        }
    }
    return false;
}

/* Play both in step until the recorded hashes differ. A recording that disagrees with its own run still
 * says what it recorded, so DIVERGED is no end here. */
static int diff(recording *a, recording *b)
{
    kugel_divergence d = {0};
    for (;;) {
        kugel_play p = kugel_player_step(a->player, NULL), q = kugel_player_step(b->player, NULL);
        if (p == KUGEL_PLAY_ERROR) return played_with_error(a);
        if (q == KUGEL_PLAY_ERROR) return played_with_error(b);
        if (p == KUGEL_PLAY_END || q == KUGEL_PLAY_END) {
            if (p == q) {
                printf("identical: %llu ticks\n", (unsigned long long)d.tick);
                return 0;
            }
            printf("%s ends after tick %llu, %s goes on\n", p == KUGEL_PLAY_END ? a->name : b->name,
                   (unsigned long long)d.tick, p == KUGEL_PLAY_END ? b->name : a->name);
            return EXIT_DIFFERENT;
        }
        d.tick += 1;
        progress(d.tick, a->info.ticks);
        d.expected_hash = kugel_player_hash(a->player);
        d.found_hash = kugel_player_hash(b->player);
        if (d.expected_hash == d.found_hash) continue;
        if (!locate_recorded(a, b, &d)) locate(kugel_player_world(a->player), kugel_player_world(b->player), &d);
        print_divergence(&d, "in the first", "in the second");
        return EXIT_DIFFERENT;
    }
}

int command_diff(const char *first, const char *second)
{
    recording a, b;
    int code = recording_open(&a, first, 1);
    if (code) return code;
    code = recording_open(&b, second, 1);
    if (!code) {
        code = diff(&a, &b);
        recording_close(&b);
    }
    recording_close(&a);
    return code;
}
