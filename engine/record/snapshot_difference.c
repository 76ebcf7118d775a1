/* Finds the first difference of two snapshots. Order: world, surfaces, bodies by id,
 * contacts as stored, counters. */
#include <string.h>

#include "base/bytes.h"
#include "record/snapshot_surfaces.h"

bool kg_snapshot_difference_set(kugel_divergence *out, uint32_t body, const char *field,
                                double expected, double found)
{
    if (out) {
        size_t length = strlen(field), limit = sizeof out->field - 1;
        out->located = true;
        out->body = body;
        memset(out->field, 0, sizeof out->field);
        memcpy(out->field, field, length < limit ? length : limit);
        out->expected = expected;
        out->found = found;
        out->expected_bits = kg_double_to_bits(expected);
        out->found_bits = kg_double_to_bits(found);
    }
    return true;
}

static bool world_differs(const kg_snapshot_view *p, const kg_snapshot_view *q,
                          kugel_divergence *out)
{
    static const char *const gravity[3] = {"gravity.x", "gravity.y", "gravity.z"};
    if (p->physics_epoch != q->physics_epoch)
        return kg_snapshot_difference_set(out, 0, "physics epoch", p->physics_epoch,
                                          q->physics_epoch);
    if (p->tick != q->tick)
        return kg_snapshot_difference_set(out, 0, "tick", (double)p->tick, (double)q->tick);
    if (p->time != q->time) return kg_snapshot_difference_set(out, 0, "time", p->time, q->time);
    if (p->time_rest != q->time_rest)
        return kg_snapshot_difference_set(out, 0, "time.rest", p->time_rest, q->time_rest);
    for (int k = 0; k < 3; ++k) {
        if (p->def.gravity[k] != q->def.gravity[k])
            return kg_snapshot_difference_set(out, 0, gravity[k], p->def.gravity[k],
                                              q->def.gravity[k]);
    }
    if (memcmp(p->data + KG_SNAPSHOT_DEF, q->data + KG_SNAPSHOT_DEF, KG_WORLD_DEF_BYTES) != 0)
        return kg_snapshot_difference_set(out, 0, "settings", 0, 1);
    const kg_snapshot_counts *n = &p->counts, *m = &q->counts;
    if (n->pairs != m->pairs)
        return kg_snapshot_difference_set(out, 0, "pairs", n->pairs, m->pairs);
    if (memcmp(p->pairs, q->pairs, n->pairs * (size_t)KG_PAIR_BYTES) != 0)
        return kg_snapshot_difference_set(out, 0, "pairs", 0, 1);
    if (n->ends != m->ends || memcmp(p->ends, q->ends, n->ends * (size_t)KG_END_BYTES) != 0)
        return kg_snapshot_difference_set(out, 0, "ends", n->ends, m->ends);
    if (n->exits != m->exits || memcmp(p->exits, q->exits, n->exits * (size_t)KG_EXIT_BYTES) != 0)
        return kg_snapshot_difference_set(out, 0, "exits", n->exits, m->exits);
    return kg_snapshot_surfaces_differ(p, q, out);
}

static bool is_live(const kg_snapshot_view *v, uint32_t id)
{
    return id < v->counts.id_end && (!v->live || (v->live[id / 8] >> id % 8 & 1));
}

static double value_of(const kg_snapshot_column *column, uint32_t row)
{
    uint64_t bits = kg_snapshot_column_bits(column, row);
    if (column->kind == KG_F64) return kg_double_from_bits(bits);
    if (column->kind != KG_F32) return (double)bits;
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

/* True if row `row` of both snapshots differs in one of the columns [first, end). Columns that are
 * not saved (forces, images) count as 0. */
static bool rows_differ(const kg_snapshot_view *p, const kg_snapshot_view *q, uint32_t first,
                        uint32_t end, uint32_t row, uint32_t body, kugel_divergence *out)
{
    for (uint32_t c = first; c < end; ++c) {
        const kg_snapshot_column *a = &p->columns[c], *b = &q->columns[c];
        uint64_t x = a->bytes ? kg_snapshot_column_bits(a, row) : 0,
                 y = b->bytes ? kg_snapshot_column_bits(b, row) : 0;
        if (x == y) continue;
        const kg_field *field = kg_snapshot_field(c);
        if (field->role == KG_ROLE_IMAGE)
            return kg_snapshot_difference_set(out, body, field->name, (int32_t)(uint32_t)x,
                                              (int32_t)(uint32_t)y);
        return kg_snapshot_difference_set(out, body, field->name, a->bytes ? value_of(a, row) : 0,
                                          b->bytes ? value_of(b, row) : 0);
    }
    return false;
}

static bool bodies_differ(const kg_snapshot_view *p, const kg_snapshot_view *q,
                          kugel_divergence *out)
{
    uint32_t row = 0,
             end = p->counts.id_end > q->counts.id_end ? p->counts.id_end : q->counts.id_end;
    const kg_snapshot_column *gp = &p->columns[KG_VIEW_GENERATIONS],
                             *gq = &q->columns[KG_VIEW_GENERATIONS];
    for (uint32_t id = 0; id < end; ++id) {
        bool a = is_live(p, id), b = is_live(q, id);
        if (a != b) return kg_snapshot_difference_set(out, id, "body", a, b);
        double g = id < p->counts.id_end ? (double)kg_snapshot_column_bits(gp, id) : 0,
               h = id < q->counts.id_end ? (double)kg_snapshot_column_bits(gq, id) : 0;
        if (g != h) return kg_snapshot_difference_set(out, id, "generation", g, h);
        if (!a) continue;
        if (rows_differ(p, q, KG_VIEW_BODY_FIELDS, KG_VIEW_COLUMNS, row, id, out)) return true;
        row += 1;
    }
    return false;
}

static uint32_t first_body(const kg_snapshot_view *view, uint32_t contact)
{
    return (uint32_t)kg_snapshot_column_bits(&view->columns[KG_VIEW_CONTACT_FIELDS], contact);
}

/* Contacts are compared index by index: an additional contact is a difference at its index. */
static bool contacts_differ(const kg_snapshot_view *p, const kg_snapshot_view *q,
                            kugel_divergence *out)
{
    uint32_t n = p->counts.contacts < q->counts.contacts ? p->counts.contacts : q->counts.contacts;
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t a = first_body(p, k);
        if (rows_differ(p, q, KG_VIEW_CONTACT_FIELDS, KG_VIEW_GENERATIONS, k, a, out)) return true;
    }
    if (p->counts.contacts == q->counts.contacts) return false;
    const kg_snapshot_view *more = p->counts.contacts > n ? p : q;
    return kg_snapshot_difference_set(out, first_body(more, n), "contact", p->counts.contacts > n,
                                      q->counts.contacts > n);
}

bool kg_snapshot_difference(const kg_snapshot_view *p, const kg_snapshot_view *q,
                            kugel_divergence *out)
{
    if (world_differs(p, q, out) || bodies_differ(p, q, out) || contacts_differ(p, q, out))
        return true;
    if (p->impacts != q->impacts)
        return kg_snapshot_difference_set(out, 0, "impacts", (double)p->impacts,
                                          (double)q->impacts);
    return p->budgets_exhausted != q->budgets_exhausted &&
           kg_snapshot_difference_set(out, 0, "budgets", (double)p->budgets_exhausted,
                                      (double)q->budgets_exhausted);
}
