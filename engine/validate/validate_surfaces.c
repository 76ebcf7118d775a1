/* Claims about what is derived from the surfaces: lists of their kinds, and the tree's part of
 * those at rest, which calls and steps keep up to date one by one. */
#include "validate/claims.h"

#ifdef KG_ASSERTIONS
#include "world/surface_tree.h"

static bool check_kinds(const kg_surfaces *set, kg_fault *fault)
{
    uint32_t moving = 0, sensors = 0, numbers = 0;
    bool runs = false, rolls = false;
    for (uint32_t k = 0; k < set->end; ++k) {
        const kg_surface *s = &set->items[k];
        if (!s->used) continue;
        KG_CLAIM(!s->moves || (moving < set->moving_count && set->moving[moving++] == k),
                 "surfaces that move are listed: %u", k);
        KG_CLAIM(!s->material.sensor ||
                     (sensors < set->sensor_count && set->sensors[sensors++] == k),
                 "surfaces that are sensors are listed: %u", k);
        numbers += kg_surface_number_count(s);
        runs |= s->runs, rolls |= s->material.rolling_resistance > 0;
    }
    KG_CLAIM(moving == set->moving_count && sensors == set->sensor_count,
             "lists of surfaces have no others: %u, %u", moving, sensors);
    KG_CLAIM(numbers == set->number_total && runs == set->any_runs && rolls == set->any_rolls,
             "kinds of surfaces are counted: %u numbers", numbers);
    return true;
}

static bool check_at_rest(const kg_surfaces *set, kg_fault *fault)
{
    const kg_surface_tree *tree = set->tree;
    uint32_t rest = 0;
    for (uint32_t k = 0; k < tree->at_rest.count; ++k) {
        const kg_tree_item *box = &tree->at_rest.boxes.items[k];
        const kg_surface *s = &set->items[box->number];
        double low[3], high[3];
        if (!s->rests) continue;
        bool inside = !s->moves && kg_surface_bounding_box(s, 0, low, high);
        for (int axis = 0; axis < 3 && inside; ++axis)
            inside = (double)box->low[axis] <= low[axis] && (double)box->high[axis] >= high[axis];
        KG_CLAIM(inside, "surfaces at rest are in their boxes: %u", box->number);
        rest += 1;
    }
    KG_CLAIM(rest + tree->other_count == set->count,
             "surfaces are at rest or others: %u, %u, of %u", rest, tree->other_count, set->count);
    return true;
}

bool kg_validate_surfaces(const kugel_world *world, kg_fault *fault)
{
    const kg_surfaces *set = &world->surfaces;
    return check_kinds(set, fault) &&
           (!set->tree || !set->tree->rest_is_built || check_at_rest(set, fault));
}
#endif
