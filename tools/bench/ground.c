#include "ground.h"

#include <kugel/kugel.h>
#include <math.h>
#include <stdlib.h>

#include "cells.h"

kugel_world *ground_open(const scene *s)
{
    scene empty = *s;
    empty.count = 0;
    return peer_kugel.open(&empty);
}

double ground_depth(const scene *s, const kugel_world *ground, const double *x)
{
    double deepest = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        double radius = scene_radius(s, i);
        kugel_found found;
        size_t count;
        if (kugel_world_nearest(ground, x + 3 * (size_t)i, radius, NULL, 1, &found, &count))
            abort();
        if (count) deepest = fmax(deepest, 1 - found.gap / radius);
    }
    return deepest;
}
