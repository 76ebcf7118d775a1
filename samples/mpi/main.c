/* kugel-run-mpi: kugel-run over the ranks of MPI. All ranks take the command line and the files of
 * rank 0, which alone prints. */
#include <stdio.h>
#include <string.h>

#include <kugel/mpi.h>

#include "builtin.h"
#include "launcher.h"
#include "run_ranks.h"
#include "share.h"
#include "signals.h"

static const char usage_mpi[] =
    "usage: mpirun -n N kugel-run-mpi SCENE.json | SAMPLE-NAME  [options]\n"
    "       mpirun -n N kugel-run-mpi --restart FILE@TICK  [options]\n"
    "  --list            list the samples\n"
    "  --ticks N         steps to run            --dt S         tick length, s\n"
    "  --substeps N      substeps a tick         --threads N    of each rank; does not change the "
    "result\n"
    "  --seed N          seed of the first generator, N + 1 of the second ...\n"
    "  --checkpoint FILE, FILE@N, --checkpoint-every S  checkpoints, as kugel-run; a signal to any "
    "rank counts\n"
    "  --restart FILE    go on from a checkpoint; needs the scene\n"
    "  --restart FILE@TICK  go on from tick TICK of a recording\n"
    "  --csv FILE, --export FILE, --video FILE, --every K  trajectories, as kugel-run; so are\n"
    "  --camera X,Y,Z, --size WxH, --colours BY\n"
    "  --record FILE, --no-states, --last N  recording, as kugel-run; --view PAGE.html\n"
    "  --events FILE, --series FILE, --check  as kugel-run\n"
    "  --timing          times of the stages, each that of the slowest rank; \"advance\" includes\n"
    "                    the communication between ranks\n"
    "  --log-every S     a line on standard error every S seconds, default 60, 0: none\n"
    "  --quiet           no progress bar, no such lines    --help-scene   every key of a scene\n"
    "  --version\n"
    "Files and the last lines on standard output are those of kugel-run, byte for byte. Rank 0 "
    "gathers\n"
    "the world for files. Gases are divided: scenes with \"bounce_threshold\": 0 in which nothing\n"
    "grows, is a sensor or comes to rest. Any other world is held as a whole by each rank; so is\n"
    "a gas at ticks with impulses, forces, motions, emitters, drains, thermostats or a change of\n"
    "gravity.\n"
    "Exit codes: 0 done, 2 usage or bad input, 3 invariant violated, 4 out of memory or I/O "
    "failure;\n"
    "143 ended by SIGTERM.\n";

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
    options options = options_default();
    command command;
    kugel_exchange exchange;
    int provided;
    program_name = "kugel-run-mpi";
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return EXIT_RESOURCES;
    if (kugel_exchange_mpi_create(MPI_COMM_WORLD, &exchange)) return EXIT_RESOURCES;
    silence(exchange.rank);
    options.other_writes = exchange.rank > 0;
    int code = launcher_check(exchange.count);
    if (!code) code = share_arguments(&exchange, &argc, &argv);
    if (!code) code = share_code(&exchange, parse_options(argc, argv, &options, &command));
    if (!code) code = run_command(&options, command, &exchange);
    code = finish_output(code);
    kugel_exchange_mpi_free(&exchange);
    MPI_Finalize();
    if (run_is_whole(code)) signals_pass();
    return code;
}
