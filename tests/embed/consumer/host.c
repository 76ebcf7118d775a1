/* A host that embeds the library, in C and in C++, with its own copy of stb_ds in the same program.
 * It prints the hash of a small run, or "refused" where the world refuses the host's arithmetic. */
#define STB_DS_IMPLEMENTATION
#include <stb/stb_ds.h>
#ifdef SINGLE_FILE
#include "kugel.h"
#else
#include <kugel/kugel.h>
#endif
#include <stdio.h>

int main(void)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    kugel_world *world;
    kugel_status status = kugel_world_create(&def, &world);
    if (status == KUGEL_ERROR_FLOATING_POINT) return puts("refused") < 0;
    if (status != KUGEL_OK) return 1;
    kugel_plane floor = {{0, 0, 1}, 0, 0.5, 0.5};
    if (kugel_world_add_plane(world, &floor, NULL) != KUGEL_OK) return 1;
    kugel_body *bodies = NULL;
    for (int i = 0; i < 50; ++i) {
        kugel_body_def ball = kugel_body_def_default();
        ball.position[0] = 0.1 * (i % 7);
        ball.position[1] = 0.1 * (i % 5);
        ball.position[2] = 1 + 1.1 * i;
        ball.restitution = 0.7;
        kugel_body body;
        if (kugel_body_create(world, &ball, &body) != KUGEL_OK) return 1;
        arrput(bodies, body);
    }
    for (int tick = 0; tick < 240; ++tick) {
        if (kugel_world_step(world, 1.0 / 60) != KUGEL_OK) return 1;
    }
    printf("%016llx %d\n", (unsigned long long)kugel_world_hash(world), (int)arrlen(bodies));
    arrfree(bodies);
    kugel_world_destroy(world);
    return 0;
}
