/* Custom allocator: the world lives in one block of memory that the program provides, an arena.
 * A step allocates nothing once buffers have grown. When the arena is full, calls return out of
 * memory and the world stays usable. */
#include <kugel/kugel.h>
#include <stdio.h>
#include <string.h>

typedef struct arena {
    unsigned char *memory;
    size_t size, used, calls;
} arena;

static void *allocate(void *user, size_t size)
{
    arena *arena = user;
    size_t start = (arena->used + 15) / 16 * 16;
    arena->calls += 1;
    if (size > arena->size - start) return NULL;
    arena->used = start + size;
    return arena->memory + start;
}

static void *reallocate(void *user, void *block, size_t old_size, size_t new_size)
{
    void *moved = allocate(user, new_size);
    if (moved && block) memcpy(moved, block, old_size < new_size ? old_size : new_size);
    return moved;
}

static void release(void *user, void *block, size_t size)
{
    (void)user, (void)block, (void)size; /* the arena is released as a whole */
}

int main(void)
{
    static _Alignas(64) unsigned char memory[1 << 20];
    arena arena = {.memory = memory, .size = sizeof memory - 64};
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    def.body_capacity = 64;
    def.allocator = (kugel_allocator){allocate, reallocate, release, &arena};
    kugel_world *world;
    if (kugel_world_create(&def, &world)) return 1;
    kugel_surface_def ground = kugel_surface_def_plane((double[]){0, 0, 1}, 0);
    kugel_surface_create(world, &ground, NULL);
    kugel_body_def ball = kugel_body_def_default();
    for (int i = 0; i < 64; ++i) {
        ball.position[0] = 1.5 * (i % 8);
        ball.position[1] = 1.5 * (i / 8);
        ball.position[2] = 0.5;
        if (kugel_body_create(world, &ball, NULL)) return 1;
    }
    for (int tick = 0; tick < 60; ++tick) kugel_world_step(world, 1.0 / 60);
    size_t calls = arena.calls;
    for (int tick = 0; tick < 60; ++tick) kugel_world_step(world, 1.0 / 60);
    size_t allocations = arena.calls - calls;
    printf("%zu bytes for 64 bodies; 60 steps asked for memory %zu times\n", arena.used,
           allocations);

    kugel_status status = KUGEL_OK;
    for (int i = 0; i < 100000 && status == KUGEL_OK; ++i) {
        ball.position[2] = 5 + 1.5 * i;
        status = kugel_body_create(world, &ball, NULL);
    }
    printf("with %u bodies: %s\n", kugel_world_body_count(world), kugel_status_text(status));
    bool full = status == KUGEL_ERROR_OUT_OF_MEMORY && kugel_world_body_count(world) > 64;
    kugel_world_destroy(world);
    return allocations == 0 && full ? 0 : 1;
}
