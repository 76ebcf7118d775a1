/* The last lines of a run, and notes on what no row shows. */
#ifndef RUNNER_SUMMARY_H
#define RUNNER_SUMMARY_H

#include "run.h"

/* Programs read these five lines. Energies in J. */
void summary_print(uint32_t bodies, const kugel_stats *stats, double start_energy,
                   double end_energy, uint64_t hash);
/* Exhausted impact budgets, and ticks that had too few substeps. */
void summary_notes(const options *options, const scene *scene, const kugel_stats *stats);

#endif
