/* See frame_store.h. */
#include "frame_store.h"

#include <math.h>

#include "surface_place.h"

bool frame_store_open(frame_store *store, const atomic_file *beside)
{
    *store = (frame_store){.file = atomic_file_scratch(beside), .smallest = INFINITY};
    for (int k = 0; k < 3; ++k) {
        store->low[k] = store->body_low[k] = INFINITY;
        store->high[k] = store->body_high[k] = -INFINITY;
    }
    return store->file;
}

static bool reserve_bodies(frame_store *store, size_t count)
{
    stored_frame *f = &store->frame;
    if (count <= store->bodies && f->ids) return true;
    uint32_t *ids = realloc(f->ids, (count + 1) * sizeof *ids);
    if (ids) f->ids = ids;
    double *position = realloc(f->position, (count + 1) * sizeof(double[3]));
    if (position) f->position = position;
    float *radius = realloc(f->radius, (count + 1) * sizeof *radius);
    if (radius) f->radius = radius;
    float *speed = realloc(f->speed, (count + 1) * sizeof *speed);
    if (speed) f->speed = speed;
    if (!ids || !position || !radius || !speed) return errno = ENOMEM, false;
    store->bodies = count;
    return true;
}

static bool reserve_boundaries(frame_store *store, size_t count)
{
    stored_frame *f = &store->frame;
    if (count <= store->boundaries && f->places) return true;
    store_place *places = realloc(f->places, (count + 1) * sizeof *places);
    if (places) f->places = places;
    store_plane *planes = realloc(f->planes, (count + 1) * sizeof *planes);
    if (planes) f->planes = planes;
    if (!places || !planes) return errno = ENOMEM, false;
    store->boundaries = count;
    return true;
}

static bool reserve(frame_store *store, uint32_t bodies, uint32_t surfaces, uint32_t planes)
{
    return reserve_bodies(store, bodies) &&
           reserve_boundaries(store, surfaces > planes ? surfaces : planes);
}

static bool is_same_mesh(const store_mesh *mesh, uint32_t surface, const kugel_surface_def *def)
{
    return mesh->surface == surface && mesh->vertex_count == def->vertex_count &&
           mesh->triangle_count == def->triangle_count &&
           memcmp(mesh->vertices, def->vertices, 3 * sizeof(double) * def->vertex_count) == 0 &&
           memcmp(mesh->triangles, def->triangles, 3 * sizeof(uint32_t) * def->triangle_count) == 0;
}

/* The mesh of a surface: an index of store->meshes; UINT32_MAX when out of memory. */
static uint32_t find_mesh(frame_store *store, uint32_t surface, const kugel_surface_def *def)
{
    for (uint32_t m = store->mesh_count; m-- > 0;)
        if (is_same_mesh(&store->meshes[m], surface, def)) return m;
    size_t vertices = 3 * sizeof(double) * def->vertex_count,
           triangles = 3 * sizeof(uint32_t) * def->triangle_count;
    store_mesh mesh = {surface, def->vertex_count, def->triangle_count, malloc(vertices + 1),
                       malloc(triangles + 1)};
    store_mesh *more = realloc(store->meshes, (store->mesh_count + 1) * sizeof *more);
    if (more) store->meshes = more;
    if (!more || !mesh.vertices || !mesh.triangles) {
        free(mesh.vertices), free(mesh.triangles);
        return errno = ENOMEM, UINT32_MAX;
    }
    memcpy(mesh.vertices, def->vertices, vertices);
    memcpy(mesh.triangles, def->triangles, triangles);
    store->meshes[store->mesh_count] = mesh;
    return store->mesh_count++;
}

static void extend_to_surface(frame_store *store, const kugel_surface_def *def)
{
    for (uint32_t v = 0; v < def->vertex_count; ++v) {
        double x[3];
        surface_place(def, def->vertices + 3 * (size_t)v, x);
        for (int k = 0; k < 3; ++k) {
            store->low[k] = fmin(store->low[k], x[k]);
            store->high[k] = fmax(store->high[k], x[k]);
        }
    }
}

static bool add_surfaces(frame_store *store, const kugel_world *world)
{
    stored_frame *f = &store->frame;
    uint32_t end = kugel_world_surface_end(world);
    f->surface_count = f->plane_count = 0;
    for (uint32_t s = 0; s < end; ++s) {
        kugel_surface_def def;
        if (kugel_surface_get(world, kugel_world_surface(world, s), &def, NULL) != KUGEL_OK)
            continue;
        store_plane *plane = &f->planes[f->plane_count];
        if (kugel_surface_def_get_plane(&def, plane->normal, &plane->offset)) {
            f->plane_count += 1;
            continue;
        }
        store_place *place = &f->places[f->surface_count++];
        memset(place, 0, sizeof *place); /* padding */
        place->mesh = find_mesh(store, s, &def);
        if (place->mesh == UINT32_MAX) return false;
        memcpy(place->position, def.position, sizeof place->position);
        memcpy(place->rotation, def.rotation, sizeof place->rotation);
        extend_to_surface(store, &def);
    }
    return true;
}

/* Masses of 1e-30 kg stand for infinite ones; see format.h. */
static void add_bodies(frame_store *store, const row_set *rows)
{
    stored_frame *f = &store->frame;
    f->count = rows->count;
    for (size_t i = 0; i < rows->count; ++i) {
        const double *v = rows->velocity + 3 * i;
        f->ids[i] = rows->ids[i];
        f->radius[i] = (float)rows->radius[i];
        f->speed[i] = (float)sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (rows->mass[i] <= 1e-30 && f->speed[i] == 0) f->speed[i] = -1;
        store->fastest = fmaxf(store->fastest, f->speed[i]);
        store->smallest = fminf(store->smallest, f->radius[i]);
        store->largest = fmaxf(store->largest, f->radius[i]);
    }
    if (rows->count) memcpy(f->position, rows->position, rows->count * sizeof(double[3]));
}

static bool write_frame(frame_store *store)
{
    const stored_frame *f = &store->frame;
    FILE *to = store->file;
    const uint32_t counts[3] = {f->count, f->surface_count, f->plane_count};
    return fwrite(counts, sizeof counts, 1, to) == 1 &&
           fwrite(f->ids, sizeof *f->ids, f->count, to) == f->count &&
           fwrite(f->position, sizeof(double[3]), f->count, to) == f->count &&
           fwrite(f->radius, sizeof *f->radius, f->count, to) == f->count &&
           fwrite(f->speed, sizeof *f->speed, f->count, to) == f->count &&
           fwrite(f->places, sizeof *f->places, f->surface_count, to) == f->surface_count &&
           fwrite(f->planes, sizeof *f->planes, f->plane_count, to) == f->plane_count &&
           fflush(to) == 0;
}

bool frame_store_add(frame_store *store, const frame *frame, bool keep)
{
    uint32_t surfaces = kugel_world_surface_end(frame->world);
    if (!reserve(store, frame->rows->count, surfaces, surfaces)) return false;
    if (!keep) rewind(store->file), store->frames = 0;
    add_bodies(store, frame->rows);
    if (!add_surfaces(store, frame->world)) return false;
    if (store->frames == 0) store->first_time = frame->time;
    if (store->frames == 1) store->second_time = frame->time;
    memcpy(store->faces, frame->faces, sizeof store->faces);
    for (int k = 0; k < 3; ++k) {
        store->body_low[k] = fmin(store->body_low[k], frame->low[k]);
        store->body_high[k] = fmax(store->body_high[k], frame->high[k]);
    }
    store->frames += 1;
    return write_frame(store);
}

bool frame_store_rewind(frame_store *store)
{
    double side = 0;
    for (int k = 0; k < 3; ++k) side = fmax(side, store->body_high[k] - store->body_low[k]);
    for (int k = 0; k < 3; ++k) {
        double low = store->body_low[k], high = store->body_high[k];
        store->low[k] = fmin(low, fmax(store->low[k], low - side));
        store->high[k] = fmax(high, fmin(store->high[k], high + side));
    }
    rewind(store->file);
    return !ferror(store->file);
}

const stored_frame *frame_store_next(frame_store *store)
{
    stored_frame *f = &store->frame;
    FILE *from = store->file;
    uint32_t counts[3];
    if (fread(counts, sizeof counts, 1, from) != 1 ||
        !reserve(store, counts[0], counts[1], counts[2]))
        return NULL;
    f->count = counts[0], f->surface_count = counts[1], f->plane_count = counts[2];
    bool good = fread(f->ids, sizeof *f->ids, f->count, from) == f->count &&
                fread(f->position, sizeof(double[3]), f->count, from) == f->count &&
                fread(f->radius, sizeof *f->radius, f->count, from) == f->count &&
                fread(f->speed, sizeof *f->speed, f->count, from) == f->count &&
                fread(f->places, sizeof *f->places, f->surface_count, from) == f->surface_count &&
                fread(f->planes, sizeof *f->planes, f->plane_count, from) == f->plane_count;
    return good ? f : NULL;
}

void frame_store_close(frame_store *store)
{
    for (uint32_t m = 0; m < store->mesh_count; ++m) {
        free(store->meshes[m].vertices);
        free(store->meshes[m].triangles);
    }
    stored_frame *f = &store->frame;
    free(f->ids), free(f->position), free(f->radius), free(f->speed);
    free(f->places), free(f->planes), free(store->meshes);
    if (store->file) fclose(store->file);
    *store = (frame_store){0};
}
