/* Bodies that cannot move and touch nothing change no result: a pile has the same bits with them
 * and without them. */
#include <criterion/criterion.h>
#include <string.h>

#include "support/support_pile.h"

/* A body far from the pile. */
typedef struct decoration {
    char name[24];
    kugel_body_type type;
    double radius; /* m; the balls of the pile have 0.5 */
    bool sensor;
} decoration;

static void check_same(const kugel_world *plain, const kugel_world *decorated, uint32_t count,
                       const char *name, int tick)
{
    kugel_stats p, q;
    kugel_world_stats(plain, &p);
    kugel_world_stats(decorated, &q);
    if (p.asleep < count) /* a tick in which nothing moves has no substeps to choose */
        cr_assert_eq(p.substeps, q.substeps, "%s, tick %d: substeps", name, tick);
    for (uint32_t id = 0; id < count; ++id) {
        kugel_body_state s, t;
        support_state(plain, id, &s);
        support_state(decorated, id, &t);
        bool same = !memcmp(s.position, t.position, sizeof s.position) &&
                    !memcmp(s.velocity, t.velocity, sizeof s.velocity) &&
                    !memcmp(s.spin, t.spin, sizeof s.spin) && s.asleep == t.asleep &&
                    !memcmp(s.rotation, t.rotation, sizeof s.rotation);
        cr_assert(same, "%s, tick %d: body %u", name, tick, id);
    }
}

Test(decoration, a_pile_keeps_its_bits)
{
    static const decoration rows[] = {{"tiny static", KUGEL_STATIC, 1e-4, false},
                                      {"tiny kinematic", KUGEL_KINEMATIC, 1e-3, false},
                                      {"tiny static sensor", KUGEL_STATIC, 0.01, true},
                                      {"large static", KUGEL_STATIC, 20, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        support_random random = support_random_start("decoration", 1);
        support_scene scene = support_pile(6, 8, 0.3, &random);
        kugel_world *plain = support_scene_world(&scene);
        kugel_body_def *far = support_scene_add(&scene, (double[3]){3, 3, 500}, NULL, 0.5, 1);
        far->type = rows[r].type, far->radius = rows[r].radius, far->sensor = rows[r].sensor;
        kugel_world *decorated = support_scene_world(&scene);
        for (int tick = 0; tick < 400; ++tick) {
            support_run(plain, 1 / 60., 1);
            support_run(decorated, 1 / 60., 1);
            check_same(plain, decorated, scene.count - 1, rows[r].name, tick);
        }
        kugel_world_destroy(plain);
        kugel_world_destroy(decorated);
        support_scene_free(&scene);
    }
}
