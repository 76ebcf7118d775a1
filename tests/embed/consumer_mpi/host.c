/* A host of libkugel-mpi: a gas over all ranks; rank 0 prints the hash. With the argument "alone"
 * one process steps it without ranks. */
#include <stdio.h>
#include <string.h>

#include <kugel/kugel.h>
#include <kugel/mpi.h>

static kugel_world *make_gas(void)
{
    kugel_world_def def = kugel_world_def_default();
    kugel_body_def ball = kugel_body_def_default();
    kugel_world *world;
    def.bounce_threshold = 0;
    if (kugel_world_create(&def, &world)) return NULL;
    ball.restitution = 1, ball.friction = 0;
    for (int i = 0; i < 1000; ++i) {
        ball.position[0] = 1.5 * (i % 10), ball.position[1] = 1.5 * (i / 10 % 10);
        ball.position[2] = 1.5 * (i / 100);
        for (int k = 0; k < 3; ++k) ball.velocity[k] = (i * (7 + 4 * k) % 13 - 6) * 0.7;
        if (kugel_body_create(world, &ball, NULL)) return NULL;
    }
    return world;
}

static int run_alone(void)
{
    kugel_world *world = make_gas();
    for (int t = 0; t < 60; ++t) {
        if (kugel_world_step(world, 1 / 60.0)) return 1;
    }
    printf("0x%016llx\n", (unsigned long long)kugel_world_hash(world));
    kugel_world_destroy(world);
    return 0;
}

int main(int argc, char **argv)
{
    kugel_exchange exchange;
    kugel_ranks *ranks;
    uint64_t hash;
    if (argc > 1 && strcmp(argv[1], "alone") == 0) return run_alone();
    MPI_Init(&argc, &argv);
    if (kugel_exchange_mpi_create(MPI_COMM_WORLD, &exchange)) return 1;
    if (kugel_ranks_create(make_gas(), &exchange, &ranks)) return 1;
    for (int t = 0; t < 60; ++t) {
        if (kugel_ranks_step(ranks, 1 / 60.0)) return 1;
    }
    if (kugel_ranks_hash(ranks, &hash)) return 1;
    if (exchange.rank == 0) printf("0x%016llx\n", (unsigned long long)hash);
    kugel_ranks_destroy(ranks);
    kugel_exchange_mpi_free(&exchange);
    MPI_Finalize();
    return 0;
}
