/* Prints the end of a run. */
#include "summary.h"

#include "timing.h"

/* Notes on exhausted impact budgets and on ticks with too few substeps; without these, on a deep
 * overlap. */
static void print_notes(const summary *summary, const options *options, const scene *scene)
{
    const kugel_stats *stats = &summary->stats;
    if (!stats->budgets_exhausted && !stats->substeps_limited)
        overlap_report(&summary->deepest, options->scene, scene);
    if (stats->budgets_exhausted)
        complain(
            EXIT_DONE,
            "%s: note: impact budgets of a substep were exhausted %llu time%s: some impacts had "
            "no bounce, and bodies may overlap; more substeps or a shorter dt follow more impacts, "
            "and where they lose energy a larger impact_budget than %d",
            options->scene, (unsigned long long)stats->budgets_exhausted,
            stats->budgets_exhausted == 1 ? "" : "s", scene->world.impact_budget);
    if (stats->substeps_limited)
        complain(
            EXIT_DONE,
            "%s: note: %llu tick%s needed more than 1000 substeps for the fall of the smallest "
            "body or the spin of a surface, and bodies may overlap; a shorter dt needs fewer",
            options->scene, (unsigned long long)stats->substeps_limited,
            stats->substeps_limited == 1 ? "" : "s");
}

static double total(const kugel_energy *energy) { return energy->kinetic + energy->potential; }

/* Programs read these five lines. */
static void print_last_lines(const summary *s)
{
    printf("bodies %llu\n", (unsigned long long)s->bodies);
    printf("ticks %llu\n", (unsigned long long)s->stats.tick);
    printf("impacts %llu\n", (unsigned long long)s->stats.impacts_total);
    printf("energy %.17g %.17g\n", total(&s->start), total(&s->end));
    printf("hash 0x%016llx\n", (unsigned long long)s->hash);
}

void summary_print(const summary *summary, const options *options, const acts *acts)
{
    print_notes(summary, options, acts->scene);
    acts_report(acts);
    if (options->timing) timing_print(stderr, &summary->times);
    print_last_lines(summary);
}
