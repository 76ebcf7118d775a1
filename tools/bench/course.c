/* Steps all engines of a scene in turn, block by block, and computes what the tables show. */
#include "course.h"

#include <stdlib.h>

#include "times.h"

quality course_look(course *c, lane *l)
{
    l->peer->read(l->engine, c->x, c->v);
    quality q = scene_quality(c->scene, c->x, c->v);
    l->worst = q.max_depth > l->worst ? q.max_depth : l->worst;
    return q;
}

course course_open(const scene *s, uint32_t peers_most)
{
    course c = {.scene = s};
    c.x = malloc((size_t)s->count * 3 * sizeof *c.x);
    c.v = malloc((size_t)s->count * 3 * sizeof *c.v);
    if (!c.x || !c.v) abort();
    for (; peers[c.count] && (c.count == 0 || s->count <= peers_most); ++c.count) {
        lane *l = &c.lanes[c.count];
        *l = (lane){.peer = peers[c.count], .engine = peers[c.count]->open(s)};
        l->energy = course_look(&c, l).energy;
    }
    return c;
}

void course_run_block(course *c, int steps, bool counts)
{
    double took_kugel = 0;
    for (lane *l = c->lanes; l < c->lanes + c->count; ++l) {
        if (l > c->lanes && c->cap > 0 && l->all > c->cap) continue;
        double start = now();
        for (int k = 0; k < steps; ++k) {
            scene_move(c->scene, l->peer, l->engine, (l->steps + k) * c->scene->dt);
            l->peer->step(l->engine, c->scene->dt);
        }
        double took = now() - start, each = took / steps;
        if (counts && l->blocks < BLOCKS_MOST) l->seconds[l->blocks++] = each;
        if (l == c->lanes) took_kugel = took;
        l->all += took;
        l->kugel += took_kugel;
        l->slowest = each > l->slowest ? each : l->slowest;
        l->steps += steps;
        course_look(c, l);
    }
}

void course_close(course *c)
{
    for (lane *l = c->lanes; l < c->lanes + c->count; ++l) l->peer->close(l->engine);
    free(c->x);
    free(c->v);
}
