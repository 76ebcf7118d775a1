/* See launcher.h. */
#include "launcher.h"

#include <stdlib.h>
#include <string.h>

#include "complaint.h"

/* Variables of the launchers of Open MPI, MPICH (and those that speak PMI) and Slurm: the number of
 * processes, and that of this process. */
static const struct {
    const char *count, *process, *name;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "mpirun of Open MPI"},
                 {"PMI_SIZE", "PMI_RANK", "a launcher like that of MPICH"},
                 {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun"}};

int launcher_check(uint32_t ranks)
{
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers && ranks == 1; ++k) {
        const char *count = getenv(launchers[k].count), *process = getenv(launchers[k].process);
        if (!count || !process || atoi(count) <= 1) continue;
        if (strcmp(process, "0") != 0) return EXIT_USAGE;
        return complain(EXIT_USAGE,
                        "%s has started %s processes, but each is the only rank: the program was "
                        "built with another MPI",
                        launchers[k].name, count);
    }
    return 0;
}
