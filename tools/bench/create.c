/* CREATE: time to create bodies, for the first step, to destroy the world, and to destroy bodies
 * one by one. */
#include <math.h>

#include "bench.h"
#include "report.h"
#include "times.h"

enum {
    ROUNDS_MOST = 5,
    /* largest scene whose destruction is measured where it takes quadratic time (Bullet: minutes
     * for 100,000) */
    PATIENCE = 20000
};

typedef enum part { MAKE, FIRST, CLOSE, EACH, PARTS } part;

typedef struct record {
    double seconds[PARTS][ROUNDS_MOST];
    size_t rounds;
} record;

/* Stores the time since the last mark. */
static void mark(record *r, part part, double *since)
{
    double at = now();
    r->seconds[part][r->rounds] = at - *since;
    *since = at;
}

static void measure(const peer *peer, const scene *s, record *r)
{
    double since = now();
    void *engine = peer->open(s);
    mark(r, MAKE, &since);
    peer->step(engine, s->dt);
    mark(r, FIRST, &since);
    bool closes = peer->empty || s->count <= PATIENCE;
    if (closes) peer->close(engine);
    mark(r, CLOSE, &since);
    if (!closes) r->seconds[CLOSE][r->rounds] = NAN; /* left to the end of the process */
    if (peer->empty) {
        engine = peer->open(s);
        peer->step(engine, s->dt);
        since = now();
        peer->empty(engine);
        mark(r, EACH, &since);
        peer->close(engine);
    } else {
        r->seconds[EACH][r->rounds] = r->seconds[CLOSE][r->rounds];
    }
    r->rounds += 1;
}

/* An engine that destroys its bodies slowly, or is not measured at that, is measured once. */
static bool goes_on(const record *r) { return r->rounds == 0 || r->seconds[CLOSE][0] < 1; }

void bench_create(const bench_options *chosen)
{
    static const column columns[] = {
        {"n", "n", "%8.0f", 1},
        {"engine", "engine", "%-7s", 1},
        {"create, ms", "create_seconds", "%9.2f", 1e3},
        {"least", "create_seconds_least", "%9.2f", 1e3},
        {"spread", "create_spread", "%5.1f%%", 100},
        {"first step, ms", "first_seconds", "%9.2f", 1e3},
        {"least", "first_seconds_least", "%9.2f", 1e3},
        {"spread", "first_spread", "%5.1f%%", 100},
        {"destroy, ms", "close_seconds", "%9.2f", 1e3},
        {"least", "close_seconds_least", "%9.2f", 1e3},
        {"spread", "close_spread", "%5.1f%%", 100},
        {"one by one, ms", "each_seconds", "%9.2f", 1e3},
        {"least", "each_seconds_least", "%9.2f", 1e3},
        {"spread", "each_spread", "%5.1f%%", 100},
    };
    scene s = scene_pile(chosen->size ? chosen->size : chosen->quick ? 10000 : 100000);
    record records[PEERS_MOST] = {0};
    report_table(
        "CREATE",
        "the pile before it falls: create its bodies, step once, destroy them with their world, or "
        "one by one in the order of creation (Bullet only up to 20,000: it takes quadratic time)",
        columns, sizeof columns / sizeof *columns);
    for (int round = 0; round < (chosen->quick ? 3 : ROUNDS_MOST); ++round) {
        for (int p = 0; peers[p]; ++p) {
            if (goes_on(&records[p])) measure(peers[p], &s, &records[p]);
        }
    }
    for (int p = 0; peers[p]; ++p) {
        times t[PARTS];
        for (int k = 0; k < PARTS; ++k) t[k] = times_of(records[p].seconds[k], records[p].rounds);
#define THREE(t) NUMBER((t).median), NUMBER((t).least), NUMBER((t).spread)
        ROW(NUMBER(s.count), TEXT(peers[p]->name), THREE(t[MAKE]), THREE(t[FIRST]), THREE(t[CLOSE]),
            THREE(t[EACH]));
#undef THREE
    }
    scene_free(&s);
}
