/* One body anchored anew: its own list, and its entry in those of its neighbours. What was within reach and stays
 * so is kept; so most neighbours' lists are not touched.
 * A pair is in both lists whenever the anchors are within reach, but lists may hold a pair more, and then
 * perhaps one of the two alone: only what was within reach before is known to be in both.
 * Cost: the bodies in the 27 cells around, four at a time. */
#include "base/wide.h"
#include "grid/lists.h"

typedef struct move {
    kugel_world *world;
    uint32_t slot;
    kg_anchor from, to;
    kg_chunk old; /* the list's first chunk as it was; the chain behind it is left whole to the end */
} move;

/* ---- which of some bodies are within reach ---- */

enum { BATCH = 64 };
typedef struct batch {
    uint32_t entry[BATCH];
    uint32_t count;
    bool images;          /* some entry has one */
    bool giants;          /* giants count: in cells they do not */
    uint64_t before, now; /* bit k: entry k is within reach of the old anchor, of the new one; out */
} batch;

/* In the order of operations that gives both bodies of a pair the same answer. */
KG_INLINE void within(const kg_double4 x[3], const kg_double4 offset[3], const kg_anchor *at, const kg_double4 *reach, kg_mask4 *out)
{
    kg_double4 d[3];
    for (int k = 0; k < 3; ++k) d[k] = x[k] - at->x[k] + offset[k];
    *out = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < *reach * *reach;
}

KG_INLINE void find_near(const move *m, batch *of)
{
    const kg_grid *grid = m->world->grid;
    of->before = of->now = 0;
    for (uint32_t k = 0; k < of->count; k += 4) {
        const uint32_t *entry = of->entry + k;
        const kg_double4 *row[4];
        kg_double4 x[4], reach, offset[3] = {{0}};
        for (int l = 0; l < 4; ++l) {
            const kg_anchor *other = &grid->anchor[entry[l] & KG_ENTRY_SLOT];
            row[l] = (const kg_double4 *)(const void *)other->x;
            reach[l] = m->to.radius + other->radius;
        }
        kg_transpose4(row, x);
        for (int l = 0; l < 4 && of->images; ++l) {
            const double *shift = grid->lattice.shift[entry[l] >> KG_ENTRY_IMAGE_SHIFT];
            for (int axis = 0; axis < 3; ++axis) offset[axis][l] = shift[axis];
        }
        reach += 2 * grid->skin;
        kg_mask4 before, now;
        within(x, offset, &m->from, &reach, &before);
        within(x, offset, &m->to, &reach, &now);
        of->before |= (uint64_t)kg_bits4(&before) << k;
        of->now |= (uint64_t)kg_bits4(&now) << k;
    }
}

#ifdef KG_AVX2
KG_AVX2 static void find_near_avx2(const move *m, batch *of) { find_near(m, of); }
#endif

static void find_near_any(const move *m, batch *of)
{
    for (uint32_t k = of->count; k & 3; ++k) of->entry[k] = of->entry[0];
#ifdef KG_AVX2
    if (KG_HAS_AVX2) find_near_avx2(m, of);
    else find_near(m, of);
#else
    find_near(m, of);
#endif
    if (of->count < BATCH) of->now &= ((uint64_t)1 << of->count) - 1;
}

/* ---- its old neighbours ---- */

/* The same pair as the other body lists it. */
static uint32_t seen_from(uint32_t slot, uint32_t entry) { return slot | (26 - (entry >> KG_ENTRY_IMAGE_SHIFT)) << KG_ENTRY_IMAGE_SHIFT; }

/* Keep what was and stays within reach, and leave the lists of the others. */
static bool keep_near(move *m)
{
    kg_grid *grid = m->world->grid;
    kg_chunk chunk = m->old; /* a copy: chunks may move when one is added */
    for (;;) {
        batch list = {.count = chunk.count, .images = chunk.flags & KG_CHUNK_IMAGES};
        for (uint32_t k = 0; k < KG_CHUNK_ENTRIES; ++k) list.entry[k] = chunk.entry[k];
        find_near_any(m, &list);
        for (uint32_t k = 0; k < list.count; ++k) {
            uint32_t entry = list.entry[k];
            if (!(list.before & list.now & (uint64_t)1 << k)) kg_list_remove(grid, entry & KG_ENTRY_SLOT, seen_from(m->slot, entry));
            else if (!kg_list_add(&m->world->memory, grid, m->slot, entry)) return false;
        }
        if (chunk.next == KG_NONE) return true;
        chunk = grid->chunks[chunk.next];
    }
}

/* ---- its new neighbours ---- */

static bool note_fresh(kugel_world *world, uint32_t entry)
{
    enum { COLUMN_FRESH = 8 };
    kg_grid *grid = world->grid;
    size_t need = (size_t)grid->fresh_count + 1;
    if (!kg_column_reserve(&world->memory, &grid->columns[COLUMN_FRESH], sizeof *grid->fresh, need | 63, grid->fresh_count)) return false;
    grid->fresh = grid->columns[COLUMN_FRESH].data;
    grid->fresh[grid->fresh_count++] = entry;
    return true;
}

static bool add_near(move *m, batch *found)
{
    kugel_world *world = m->world;
    kg_grid *grid = world->grid;
    find_near_any(m, found);
    for (uint64_t fresh = found->now & ~found->before; fresh; fresh &= fresh - 1) {
        uint32_t entry = found->entry[__builtin_ctzll(fresh)], j = entry & KG_ENTRY_SLOT;
        if (j == m->slot || !kg_grid_may_meet(world, m->slot, j) || (!found->giants && kg_grid_is_giant(world, j))) continue;
        bool ok = kg_list_add(&world->memory, grid, m->slot, entry) &&
                  kg_list_add(&world->memory, grid, j, seen_from(m->slot, entry)) && note_fresh(world, entry);
        if (!ok) return false;
    }
    found->count = 0;
    return true;
}

/* Along one axis: the three cells around, which of them lie in one block, the image each is seen in; the square
 * of the least distance of each from the new anchor, and how far it reaches along the anchor's way at
 * most, from the middle of the way and times its length. */
typedef struct row {
    int32_t block[3];
    uint32_t local[3], number[3], image[3];
    double apart[3], ahead[3];
} row;

/* Cells are where they should be but for the rounding of places; the last ones hold what is beyond. */
static void measure_row(const move *m, int axis, int32_t middle, row *r)
{
    const kg_lattice *lattice = &m->world->grid->lattice;
    double edge = 1 / lattice->inverse[axis], x = m->to.x[axis], way = x - m->from.x[axis], from_origin = x - lattice->origin[axis];
    double margin = 1e-6 * edge + 1e-15 * (from_origin < 0 ? -from_origin : from_origin), low = middle * edge - from_origin - edge;
    if (middle < 4 - KG_CELL_LIMIT || middle > KG_CELL_LIMIT - 4) margin = KG_VALUE_LIMIT * 1e10;
    for (int d = 0; d < 3; ++d) {
        double begin = low + d * edge - margin, end = low + (d + 1) * edge + margin;
        double apart = begin > 0 ? begin : end < 0 ? end : 0;
        r->apart[d] = apart * apart;
        r->ahead[d] = way * ((way > 0 ? end : begin) + 0.5 * way);
    }
}

static void make_row(const move *m, int axis, row *r)
{
    const kg_grid *grid = m->world->grid;
    uint32_t cell = grid->cell[m->slot];
    int32_t n = grid->lattice.count[axis];
    int32_t local = (int32_t)(cell >> (KG_BLOCK_SHIFT * axis) & (KG_BLOCK_EDGE - 1));
    int32_t middle = grid->blocks[cell / KG_BLOCK_CELLS].at[axis] * KG_BLOCK_EDGE + local;
    measure_row(m, axis, middle, r);
    for (int32_t d = 0; d < 3; ++d) {
        int32_t c = middle + d - 1;
        r->image[d] = 1;
        if (n && c < 0) c += n, r->image[d] = 0;
        else if (n && c >= n) c -= n, r->image[d] = 2;
        r->block[d] = c >> KG_BLOCK_SHIFT;
        r->local[d] = (uint32_t)c & (KG_BLOCK_EDGE - 1);
        r->number[d] = (uint32_t)d;
        for (int32_t e = d - 1; e >= 0; --e) {
            if (r->block[e] == r->block[d]) r->number[d] = r->number[e];
        }
    }
}

/* Where the lists of bodies in the cells around begin: in those that are within reach, on the side to which the
 * anchor has moved, for on the other side nothing is new. */
typedef struct around {
    uint32_t head[27], image[27]; /* image codes, shifted to where entries hold them */
    uint32_t count;
} around;

static void find_heads(const move *m, around *out)
{
    static const uint32_t none[KG_BLOCK_CELLS] = {0}; /* its address says that there is no block */
    const kg_grid *grid = m->world->grid;
    const uint32_t *blocks[27] = {NULL}; /* looked up once */
    row rows[3];
    double reach2 = grid->reach * grid->reach * 1.0001;
    out->count = 0;
    for (int axis = 0; axis < 3; ++axis) make_row(m, axis, &rows[axis]);
    const row *rx = &rows[0];
    for (int k = 0; k < 9; ++k) {
        const row *ry = &rows[1], *rz = &rows[2];
        int y = k % 3, z = k / 3;
        double apart = ry->apart[y] + rz->apart[z], ahead = ry->ahead[y] + rz->ahead[z];
        uint32_t number = (rz->number[z] * 3 + ry->number[y]) * 3, local = ry->local[y] << 2 | rz->local[z] << 4;
        uint32_t image = 3 * ry->image[y] + 9 * rz->image[z];
        for (int x = 0; x < 3; ++x) {
            const uint32_t **block = &blocks[number + rx->number[x]];
            if (!*block) {
                uint32_t found = kg_grid_find(grid, (int32_t[3]){rx->block[x], ry->block[y], rz->block[z]});
                *block = found == KG_NONE ? none : grid->blocks[found].head;
            }
            if (*block == none) continue;
            uint32_t head = (*block)[rx->local[x] | local];
            out->head[out->count] = head;
            out->image[out->count] = (image + rx->image[x]) << KG_ENTRY_IMAGE_SHIFT;
            out->count += (head != KG_NONE) & (apart + rx->apart[x] < reach2) & (ahead + rx->ahead[x] >= 0);
        }
    }
}

/* One body, in all images: where giants are concerned, cells tell nothing. */
static bool look_at(move *m, uint32_t j, const kg_images *images, batch *found)
{
    for (uint32_t k = 0; k < images->count; ++k) {
        if (found->count == BATCH && !add_near(m, found)) return false;
        found->entry[found->count++] = j | images->code[k] << KG_ENTRY_IMAGE_SHIFT;
    }
    return true;
}

static bool find_giants(move *m)
{
    const kg_grid *grid = m->world->grid;
    kg_images images = kg_lattice_images(&grid->lattice);
    batch found = {.giants = true, .images = images.count > 1};
    bool all = kg_grid_is_giant(m->world, m->slot);
    uint32_t count = all ? m->world->bodies.count : grid->giant_count;
    for (uint32_t k = 0; k < count; ++k) {
        if (!look_at(m, all ? k : grid->giants[k], &images, &found)) return false;
    }
    return add_near(m, &found);
}

/* All the cells' lists a step at a time: how long each is has no pattern, so no branch may depend on it. */
static bool find_neighbours(move *m)
{
    const kg_grid *grid = m->world->grid;
    around at;
    batch found = {.count = 0};
    find_heads(m, &at);
    while (at.count) {
        uint32_t left = 0, images = 0;
        for (uint32_t k = 0; k < at.count; ++k) {
            uint32_t j = at.head[k], image = at.image[k], next = grid->anchor[j].next;
            found.entry[found.count++] = j | image;
            images |= image ^ KG_IMAGE_NONE << KG_ENTRY_IMAGE_SHIFT;
            at.head[left] = next;
            at.image[left] = image;
            left += next != KG_NONE;
        }
        at.count = left;
        found.images |= images != 0;
        if (left > BATCH - found.count && !add_near(m, &found)) return false;
    }
    return add_near(m, &found);
}

/* Pairs at rest are so in every image that is listed now. */
static void mark_again(const move *m)
{
    kg_grid *grid = m->world->grid;
    for (const kg_chunk *chunk = &m->old;; chunk = &grid->chunks[chunk->next]) {
        for (uint32_t k = 0; k < chunk->count && chunk->flags & KG_CHUNK_RESTING; ++k) {
            if (chunk->entry[k] & KG_ENTRY_RESTING) kg_grid_mark(grid, m->slot, chunk->entry[k] & KG_ENTRY_SLOT, true);
        }
        if (chunk->next == KG_NONE) return;
    }
}

/* Does something that the body rests on not stand in its list, as it is? It was not near while the rest began (it, or this body,
 * was far, grid.h), or went out of reach within the substep and came again. */
static bool lacks_rests(const kugel_world *world, uint32_t slot)
{
    const kg_grid *grid = world->grid;
    uint32_t known = kg_boundary_set_count(world->work.resting[slot]), rests = world->work.contact_count[slot];
    for (uint32_t c = slot; c != KG_NONE && known < rests; c = grid->chunks[c].next) {
        const kg_chunk *chunk = &grid->chunks[c];
        for (uint32_t k = 0; k < chunk->count; ++k) known += (chunk->entry[k] & KG_ENTRY_RESTING) != 0;
        if (chunk->flags & KG_CHUNK_IMAGES) return true; /* a pair may stand there twice: not known */
    }
    return known < rests;
}

/* What is new in the list, and rests. */
static void mark_fresh(const move *m)
{
    kg_grid *grid = m->world->grid;
    const kg_work *work = &m->world->work;
    const uint32_t *id = m->world->bodies.id;
    if (!grid->fresh_count || !work->contact_count[m->slot] || !lacks_rests(m->world, m->slot)) return;
    for (uint32_t k = 0; k < grid->fresh_count; ++k) {
        uint32_t j = grid->fresh[k] & KG_ENTRY_SLOT;
        if (!work->contact_count[j] || !kg_contact_set_rests(&work->contacts, id[m->slot], id[j])) continue;
        grid->fresh[k] |= KG_ENTRY_RESTING;
        kg_grid_mark(grid, m->slot, j, true);
    }
}

bool kg_grid_regrid(kugel_world *world, uint32_t slot, const double place[3])
{
    kg_grid *grid = world->grid;
    move m = {.world = world, .slot = slot, .from = grid->anchor[slot], .old = grid->chunks[slot]};
    grid->fresh_count = 0;
    kg_chunk_clear(&grid->chunks[slot], slot);
    kg_grid_unlink(grid, slot);
    kg_anchor_at(world, slot, place);
    m.to = grid->anchor[slot];
    if (!kg_grid_link(&world->memory, grid, slot) || !keep_near(&m)) return false;
    if (!kg_grid_is_giant(world, slot) && !find_neighbours(&m)) return false;
    if (grid->giant_count && !find_giants(&m)) return false;
    mark_again(&m);
    mark_fresh(&m);
    kg_list_free_chain(grid, m.old.next);
    world->regrids += 1;
    return true;
}
