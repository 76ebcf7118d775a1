/* Prints the end of a run. */
#include "summary.h"

void summary_print(uint32_t bodies, const kugel_stats *stats, double start_energy,
                   double end_energy, uint64_t hash)
{
    printf("bodies %u\n", bodies);
    printf("ticks %llu\n", (unsigned long long)stats->tick);
    printf("impacts %llu\n", (unsigned long long)stats->impacts_total);
    printf("energy %.17g %.17g\n", start_energy, end_energy);
    printf("hash 0x%016llx\n", (unsigned long long)hash);
}

void summary_notes(const options *options, const scene *scene, const kugel_stats *stats)
{
    if (stats->budgets_exhausted)
        complain(
            EXIT_DONE,
            "%s: note: impact budgets of a substep were exhausted %llu times: some impacts had "
            "no bounce, and bodies may overlap; more substeps, a shorter dt or a larger "
            "impact_budget than %d follow more impacts",
            options->scene, (unsigned long long)stats->budgets_exhausted,
            scene->world.impact_budget);
    if (stats->substeps_limited)
        complain(EXIT_DONE,
                 "%s: note: %llu ticks needed more than 1000 substeps for the fall of the smallest "
                 "body, and bodies may overlap; a shorter dt needs fewer",
                 options->scene, (unsigned long long)stats->substeps_limited);
}
