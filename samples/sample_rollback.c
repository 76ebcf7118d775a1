/* Rollback netcode: two peers, each with a world and a paddle, on a network that delays, reorders
 * and loses packets. A peer predicts that the remote input does not change, and runs on. If another
 * input arrives later, it restores the snapshot of that tick and runs again from there. A tick is
 * confirmed when both peers have both inputs: their worlds then must have equal bits. */
#include <kugel/kugel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 300, WINDOW = 32, BALLS = 40, LINE = 1 << 16, MOST = 24 };

typedef struct packet {
    int arrives, from, count; /* inputs of ticks [from, from + count) of the sender */
    signed char inputs[MOST];
} packet;

typedef struct peer {
    kugel_world *world;
    kugel_body paddles[2];
    int me, tick;
    int known; /* remote inputs of ticks [0, known) have arrived */
    int heard; /* the remote peer has this peer's inputs of ticks [0, heard) */
    signed char inputs[2][TICKS + 1];
    signed char guessed[TICKS + 1]; /* remote input used in each tick */
    void *frames[WINDOW];           /* snapshots: frames[t % WINDOW] is the state before tick t */
    size_t room, sizes[WINDOW];
    uint64_t hashes[TICKS + 1]; /* after the latest run of each tick */
    unsigned rollbacks, ticks_again;
} peer;

static packet lines[2][LINE];
static int sent[2];
static unsigned lost;

static uint32_t random_below(uint32_t n)
{
    static uint64_t state = 20260401;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static void start(peer *p, int me)
{
    kugel_world_def def = kugel_world_def_default();
    def.gravity[2] = -9.81;
    for (int axis = 0; axis < 3; ++axis) def.bounds.min[axis] = -5, def.bounds.max[axis] = 5;
    for (int face = 0; face < 6; ++face) def.bounds.faces[face] = KUGEL_FACE_WALL;
    def.bounds.restitution = 0.8;
    if (kugel_world_create(&def, &p->world)) exit(1);
    kugel_body_def ball = kugel_body_def_default();
    ball.type = KUGEL_KINEMATIC;
    for (int k = 0; k < 2; ++k) {
        ball.position[0] = k ? 2.5 : -2.5, ball.position[1] = 0, ball.position[2] = -4;
        ball.radius = 0.9;
        if (kugel_body_create(p->world, &ball, &p->paddles[k])) exit(1);
    }
    ball = kugel_body_def_default();
    ball.radius = 0.3, ball.restitution = 0.7;
    for (int i = 0; i < BALLS; ++i) {
        ball.position[0] = -4 + i % 8, ball.position[1] = -2 + i / 8,
        ball.position[2] = 2 + 0.01 * i;
        if (kugel_body_create(p->world, &ball, NULL)) exit(1);
    }
    p->me = me;
    if (kugel_snapshot_save(p->world, true, NULL, 0, &p->room)) exit(1);
    p->room *= 4; /* the number of contacts varies */
    for (int k = 0; k < WINDOW; ++k) p->frames[k] = malloc(p->room);
}

/* Runs one tick with the known or predicted inputs. */
static void run_tick(peer *p, int tick)
{
    int other = 1 - p->me, slot = tick % WINDOW;
    if (kugel_snapshot_save(p->world, true, p->frames[slot], p->room, &p->sizes[slot])) exit(1);
    signed char guess = p->known ? p->inputs[other][p->known - 1] : 0;
    if (tick >= p->known) p->inputs[other][tick] = guess;
    p->guessed[tick] = p->inputs[other][tick];
    for (int k = 0; k < 2; ++k) {
        const double velocity[3] = {0, 4.0 * p->inputs[k][tick], 0};
        kugel_body_set_velocity(p->world, p->paddles[k], velocity);
    }
    if (kugel_world_step(p->world, 1.0 / 60)) exit(1);
    p->hashes[tick] = kugel_world_hash(p->world);
}

/* Sends all inputs that the other peer lacks, so that a packet replaces earlier lost ones. */
static void send(peer *p, int now)
{
    packet *out = &lines[p->me][sent[p->me]];
    int count = p->tick - p->heard;
    out->arrives = now + 3 + (int)random_below(6);
    out->from = p->heard;
    out->count = count < MOST ? count : MOST;
    memcpy(out->inputs, p->inputs[p->me] + p->heard, (size_t)out->count);
    if (random_below(100) < 20) out->arrives = -1, lost += 1;
    sent[p->me] += 1;
}

/* Receives packets; runs again from the first tick with a wrong prediction. */
static void receive(peer *p, peer *sender, int now)
{
    int other = 1 - p->me, wrong = p->tick, before = p->known;
    for (int k = 0; k < sent[other]; ++k) {
        const packet *in = &lines[other][k];
        if (in->arrives != now || in->from > p->known) continue;
        for (int i = 0; i < in->count; ++i) {
            int tick = in->from + i;
            if (tick < p->known) continue;
            p->inputs[other][tick] = in->inputs[i];
            p->known = tick + 1;
        }
    }
    sender->heard = p->known; /* the acknowledgement's delay is left out */
    for (int tick = p->tick - 1; tick >= before; --tick) {
        if (tick < p->known && p->guessed[tick] != p->inputs[other][tick]) wrong = tick;
    }
    if (wrong == p->tick) return;
    p->rollbacks += 1;
    if (kugel_snapshot_restore(p->world, p->frames[wrong % WINDOW], p->sizes[wrong % WINDOW]))
        exit(1);
    for (int tick = wrong; tick < p->tick; ++tick, p->ticks_again += 1) run_tick(p, tick);
}

static void advance(peer *p, int now)
{
    if (p->tick == TICKS || p->tick - p->known >= WINDOW - 2) return; /* too far ahead: wait */
    if (now % 7 == p->me) p->inputs[p->me][p->tick] = (signed char)((int)random_below(3) - 1);
    else p->inputs[p->me][p->tick] = p->tick ? p->inputs[p->me][p->tick - 1] : 0;
    run_tick(p, p->tick);
    p->tick += 1;
}

int main(void)
{
    static peer peers[2];
    int confirmed = 0, agree = 0;
    for (int k = 0; k < 2; ++k) start(&peers[k], k);
    for (int now = 0; now < LINE && confirmed < TICKS; ++now) {
        for (int k = 0; k < 2; ++k) receive(&peers[k], &peers[1 - k], now);
        for (int k = 0; k < 2; ++k) advance(&peers[k], now), send(&peers[k], now);
        while (confirmed < peers[0].known && confirmed < peers[1].known &&
               confirmed < peers[0].tick && confirmed < peers[1].tick) {
            agree += peers[0].hashes[confirmed] == peers[1].hashes[confirmed];
            confirmed += 1;
        }
    }
    size_t room, delta_size = 0, size = peers[0].sizes[(TICKS - 1) % WINDOW],
                 base_size = peers[0].sizes[(TICKS - 2) % WINDOW];
    const void *base = peers[0].frames[(TICKS - 2) % WINDOW],
               *last = peers[0].frames[(TICKS - 1) % WINDOW];
    kugel_delta_make(base, base_size, last, size, NULL, 0, &room);
    void *delta = malloc(room);
    kugel_delta_make(base, base_size, last, size, delta, room, &delta_size);
    printf("%d of %d confirmed ticks agree; %d packets, %u lost; %u and %u rollbacks ran %u and %u "
           "ticks again\n",
           agree, confirmed, sent[0] + sent[1], lost, peers[0].rollbacks, peers[1].rollbacks,
           peers[0].ticks_again, peers[1].ticks_again);
    printf("a snapshot is %zu bytes, against the tick before it %zu\n", size, delta_size);
    free(delta);
    for (int k = 0; k < 2; ++k) {
        for (int f = 0; f < WINDOW; ++f) free(peers[k].frames[f]);
        kugel_world_destroy(peers[k].world);
    }
    return agree == TICKS && confirmed == TICKS && peers[0].rollbacks && peers[1].rollbacks && lost
               ? 0
               : 1;
}
