/* Shapes of surfaces, arrays of all bodies, and values between two ticks, for the JavaScript
 * package. shapes.mjs has the other side of the shapes; its SHAPES are in the order of js_shape. */
#include <string.h>

#include "package.h"

enum { MOST = KUGEL_MESH_SEGMENTS_MAX };

/* Maximum numbers of vertices and triangles that js_shape writes; the engine refuses shapes out of
 * range. */
static void room_of(uint32_t kind, uint32_t n, uint32_t m, double *numbers)
{
    uint32_t segments = n < MOST ? n : MOST, nx = n ? n : 1, ny = m ? m : 1;
    const double vertices[] = {KUGEL_MESH_RECTANGLE_VERTICES,
                               KUGEL_MESH_BOX_VERTICES,
                               KUGEL_MESH_HEIGHT_FIELD_VERTICES((double)nx, (double)ny),
                               KUGEL_MESH_DISC_VERTICES(segments),
                               KUGEL_MESH_CONE_VERTICES(segments),
                               KUGEL_MESH_CAPSULE_VERTICES(segments)};
    const double triangles[] = {KUGEL_MESH_RECTANGLE_TRIANGLES,
                                KUGEL_MESH_BOX_TRIANGLES,
                                KUGEL_MESH_HEIGHT_FIELD_TRIANGLES((double)nx, (double)ny),
                                KUGEL_MESH_DISC_TRIANGLES(segments),
                                KUGEL_MESH_CONE_TRIANGLES(segments),
                                KUGEL_MESH_CAPSULE_TRIANGLES(segments)};
    numbers[0] = vertices[kind];
    numbers[1] = triangles[kind];
}

/* Writes the number of vertices and of triangles. n, m: segments, or columns and rows. */
void EXPORT(js_shape_room)(uint32_t kind, uint32_t n, uint32_t m)
{
    room_of(kind, n, m, js_numbers());
}

/* In: the numbers of the shape, in the order of SHAPES. Writes the number of triangles. */
int EXPORT(js_shape)(uint32_t kind, uint32_t n, uint32_t m, const double *heights, double *vertices,
                     uint32_t *triangles)
{
    double *x = js_numbers(), room[2];
    room_of(kind, n, m, room);
    uint32_t count = (uint32_t)room[1];
    kugel_status status = KUGEL_ERROR_INVALID_ARGUMENT;
    if (kind == 0) status = kugel_mesh_rectangle(x, x + 3, x + 6, vertices, triangles);
    if (kind == 1) status = kugel_mesh_box(x, vertices, triangles);
    if (kind == 2)
        status = kugel_mesh_height_field(x, x[3], x[4], n, m, heights, vertices, triangles);
    if (kind == 3) status = kugel_mesh_disc(x, x + 3, x[6], n, vertices, triangles);
    if (kind == 4)
        status = kugel_mesh_cone(x, x + 3, x[6], x[7], n, (kugel_mesh_caps)m, vertices, triangles,
                                 &count);
    if (kind == 5) status = kugel_mesh_capsule(x, x + 3, x[6], n, vertices, triangles);
    x[0] = count;
    return status;
}

/* The arrays that are not 0; see kugel_world_read_arrays. Handles are those of JavaScript, and user
 * data doubles. */
void EXPORT(js_world_read_arrays)(const kugel_world *world, uint32_t capacity, js_body *bodies,
                                  double *position, double *velocity, double *spin,
                                  double *rotation, double *radius, bool *asleep, double *user_data,
                                  int32_t *image, double *mass, uint32_t *ids)
{
    const kugel_body_arrays arrays = {.bodies = (kugel_body *)(void *)bodies,
                                      .position = position,
                                      .velocity = velocity,
                                      .spin = spin,
                                      .rotation = rotation,
                                      .radius = radius,
                                      .asleep = asleep,
                                      .user_data = (uint64_t *)(void *)user_data,
                                      .image = image,
                                      .mass = mass,
                                      .ids = ids};
    uint32_t count = kugel_world_read_arrays(world, capacity, &arrays);
    for (uint32_t k = 0; k < count && bodies; ++k) {
        kugel_body body;
        memcpy(&body, &bodies[k], sizeof body);
        bodies[k] = js_handle_from(body);
    }
    for (uint32_t k = 0; k < count && user_data; ++k) {
        uint64_t word;
        memcpy(&word, &user_data[k], sizeof word);
        user_data[k] = (double)word;
    }
}

/* The arrays that are not 0; see kugel_world_write_arrays. The handles, of JavaScript, are
 * overwritten. */
int EXPORT(js_world_write_arrays)(kugel_world *world, uint32_t count, js_body *bodies,
                                  double *position, double *velocity, double *spin,
                                  double *rotation, double *radius, double *mass)
{
    const kugel_body_arrays arrays = {.bodies = (kugel_body *)(void *)bodies,
                                      .position = position,
                                      .velocity = velocity,
                                      .spin = spin,
                                      .rotation = rotation,
                                      .radius = radius,
                                      .mass = mass};
    for (uint32_t k = 0; k < count && bodies; ++k) {
        kugel_body body = js_handle_of(bodies[k]);
        memcpy(&bodies[k], &body, sizeof body);
    }
    return kugel_world_write_arrays(world, count, &arrays);
}

int EXPORT(js_interpolate_positions)(const kugel_world *world, uint32_t count, const double *from,
                                     double *to, double alpha)
{
    return kugel_interpolate_positions(world, count, from, to, alpha, to);
}

int EXPORT(js_interpolate_rotations)(uint32_t count, const double *from, double *to, double alpha)
{
    return kugel_interpolate_rotations(count, from, to, alpha, to);
}

/* In: image[3], which fit 32 bits. */
int EXPORT(js_body_set_image)(kugel_world *world, js_body body)
{
    const double *n = js_numbers();
    const int32_t image[3] = {(int32_t)n[0], (int32_t)n[1], (int32_t)n[2]};
    return kugel_body_set_image(world, js_handle_of(body), image);
}

/* 0: the id is free. */
js_body EXPORT(js_world_body)(const kugel_world *world, uint32_t id)
{
    return js_handle_from(kugel_world_body(world, id));
}
