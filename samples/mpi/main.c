/* kugel-run-mpi: kugel-run over the ranks of MPI. All ranks read the command line and the scene;
 * rank 0 alone prints. */
#include <stdio.h>
#include <string.h>

#include <kugel/mpi.h>

#include "builtin.h"
#include "run_ranks.h"
#include "signals.h"

static const char usage_mpi[] =
    "usage: mpirun -n N kugel-run-mpi SCENE.json | SAMPLE-NAME  [options]\n"
    "       mpirun -n N kugel-run-mpi --restart FILE@TICK  [options]\n"
    "  --list            list the samples\n"
    "  --ticks N         steps to run            --dt S         tick length, s\n"
    "  --substeps N      substeps a tick         --threads N    of each rank; does not change the "
    "result\n"
    "  --seed N          seed of the first generator, N + 1 of the second ...\n"
    "  --checkpoint FILE@N  a snapshot of the world after each N-th tick, in place of the last "
    "one\n"
    "  --restart FILE    go on from a checkpoint; needs the scene\n"
    "  --restart FILE@TICK  go on from tick TICK of a recording\n"
    "  --csv FILE, --export FILE, --video FILE.mp4, --every K  trajectories, as kugel-run\n"
    "  --record FILE, --no-states, --last N  recording, as kugel-run; --view PAGE.html\n"
    "  --events FILE, --series FILE, --check  as kugel-run\n"
    "  --timing          times of the stages, each that of the slowest rank; \"advance\" includes\n"
    "                    the communication between ranks\n"
    "  --quiet           no progress bar         --help-scene   every key of a scene\n"
    "  --version\n"
    "Files and the last lines on standard output are those of kugel-run, byte for byte. Rank 0 "
    "gathers\n"
    "the world for files. Gases are divided: scenes with \"bounce_threshold\": 0 in which nothing\n"
    "comes to rest. Any other world is held as a whole by each rank; so is a gas at ticks with\n"
    "impulses, forces, motions, emitters, drains or a change of gravity.\n"
    "Exit codes: 0 done, 2 usage or bad input, 3 invariant violated, 4 out of memory or I/O "
    "failure.\n";

/* Ranks other than 0 print nothing. */
static void silence(uint32_t rank)
{
    if (rank == 0) return;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) return;
}

static int run_command(const options *options, command command, const kugel_exchange *exchange)
{
    int code;
    switch (command) {
    case COMMAND_RUN:
        code = check_rank_options(options);
        return code ? code : run_ranks(options, exchange);
    case COMMAND_LIST:
        for (const builtin *b = builtins; b->name; ++b)
            printf("%-16s %s\n", b->name, b->description);
        return 0;
    case COMMAND_HELP:
        fputs(usage_mpi, stdout);
        return 0;
    case COMMAND_HELP_SCENE:
        fputs(scene_help, stdout);
        return 0;
    default:
        puts("kugel-run-mpi " KUGEL_VERSION_STRING);
        return 0;
    }
}

int main(int argc, char **argv)
{
    options options = {.every = 1, .threads = 1, .states = true};
    command command;
    kugel_exchange exchange;
    int provided;
    program_name = "kugel-run-mpi";
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return EXIT_RESOURCES;
    if (kugel_exchange_mpi_create(MPI_COMM_WORLD, &exchange)) return EXIT_RESOURCES;
    silence(exchange.rank);
    int code = parse_options(argc, argv, &options, &command);
    if (!code) code = run_command(&options, command, &exchange);
    code = finish_output(code);
    kugel_exchange_mpi_free(&exchange);
    MPI_Finalize();
    signals_pass();
    return code;
}
