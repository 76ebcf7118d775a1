/* Fuzz target: the bytes are a program of public calls on small worlds, which are compared with a
 * model. A refused call must change nothing, and a failed allocation must return out of memory. A
 * clone, a player and a restored world must have the bits of the world. */
#include <stdlib.h>

#include "calls.h"

static void new_world(calls *c)
{
    if (c->recording) calls_record(c);
    calls_drop_world(c);
    c->saved.size = 0;
    calls_new_world(c);
}

/* Range of choices that call a surface function; the other choices are taken modulo 16. */
enum { SURFACES_FROM = 208, SURFACES_TO = 229 };

static void one_call(calls *c)
{
    uint8_t choice = fuzz_byte(&c->in);
    if (choice >= SURFACES_FROM && choice <= SURFACES_TO) {
        calls_set_surface(c);
        return;
    }
    switch (choice % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
        calls_create_body(c);
        break;
    case 4:
    case 5:
    case 6:
        calls_step(c);
        break;
    case 7:
    case 8:
        calls_set_body(c);
        break;
    case 9:
        calls_destroy_body(c);
        break;
    case 10:
        calls_set_world(c);
        break;
    case 11:
        calls_query(c);
        break;
    case 12:
        calls_save_or_restore(c);
        break;
    case 13:
        calls_record(c);
        break;
    case 14:
        failing_memory_arm(&c->memory, 1 + fuzz_below(&c->in, 64), fuzz_byte(&c->in) & 1);
        break;
    default:
        if (fuzz_byte(&c->in) & 1) calls_sync(c);
        else new_world(c);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    calls c = {.in = {data, size, 0}};
    if (size == 0 || size > 4096) return 0;
    calls_new_world(&c);
    for (uint32_t n = 0; c.world && fuzz_has_more(&c.in) && n < MOST_CALLS; ++n) one_call(&c);
    if (c.recording) calls_record(&c);
    calls_drop_world(&c);
    bytes_free(&c.now);
    bytes_free(&c.saved);
    bytes_free(&c.recorded);
    return 0;
}
