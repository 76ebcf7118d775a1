/* A world over several ranks: what the files of this directory share. Between steps each rank holds
 * its own bodies. A step moves bodies to the ranks that own their places (migrate.c), adds ghosts
 * in rows behind the own bodies (halo.c), runs the tick as one process does, and compares inner
 * ghosts with their originals. If any differs, all ranks run the tick again with more ghosts
 * (ranks_step.c). For changes between steps each rank gets all bodies until the next step
 * (replicate.c). Functions that return a kugel_status are collective: all ranks call them in the
 * same order, and all get the same status. Other functions exchange nothing. Reasons:
 * tools/docs/decisions/32-ranks.md. */
#ifndef KG_RANKS_RANKS_H
#define KG_RANKS_RANKS_H

#include "kugel/ranks.h"
#include "ranks/partition.h"
#include "world/replicas.h"

/* A body to send to a rank: it moves there, or becomes a ghost or a copy there. */
typedef struct kg_listed_body {
    uint32_t slot, rank;
    bool inner; /* true: an inner ghost, which bodies of that rank can reach in this tick */
} kg_listed_body;

enum {
    KG_RANKS_NUMBERS, /* sent_bodies to next: five arrays by rank */
    KG_RANKS_PARTS,
    KG_RANKS_TERMS,
    KG_RANKS_LISTED, /* this and all after it: an item for each listed, sent or received body */
    KG_RANKS_HASHES,
    KG_RANKS_SENT_SLOTS,
    KG_RANKS_SENT_INNER,
    KG_RANKS_INNER,
    KG_RANKS_COLUMNS
};

/* Minimum length of `terms`: 256 KiB, so that sums over a large world take few reductions. */
enum { KG_RANKS_TERMS_MIN = 1 << 15 };

/* Minimum and initial value of `buffer`, in largest radii, and of `speed_margin`. */
#define KG_RANKS_BUFFER_MIN 4.0
#define KG_RANKS_MARGIN_MIN 1.25

struct kugel_ranks {
    kugel_world *world;
    kugel_exchange exchange;
    kg_whole whole;
    kg_partition partition;
    double largest_radius;       /* m, of all bodies */
    double largest_acceleration; /* m/s^2, of all bodies */

    /* words to and from each rank: in memory lent from the work area, which is free between steps,
     * or in `hashes` */
    uint64_t *sent, *received;
    uint64_t *hashes; /* path hashes of the listed bodies, then of ghosts */
    /* by rank: numbers of bodies, then of words */
    uint64_t *sent_bodies, *received_bodies;
    uint64_t *sent_words, *received_words;
    uint64_t *next;         /* by rank: index in sent_slots for its next body */
    kg_listed_body *listed; /* bodies to send; order: by slot, then by rank */
    uint32_t listed_count;
    uint32_t *sent_slots; /* slots of the listed bodies; order: by rank, then by slot */
    uint8_t *sent_inner;  /* in this order, 1: an inner ghost of the receiver */
    uint8_t *inner;       /* by received body, 1: an inner ghost; item 0 is row own_count */
    kg_part *parts;       /* of the partition */
    uint64_t *terms;      /* numbers to be summed over the ranks: KG_RANKS_TERMS_MIN or more */

    /* of the present attempt at a tick */
    uint32_t own_count; /* rows of own bodies; those of ghosts or gathered copies follow */
    double stride;      /* m, upper bound of a body's path */
    bool everywhere;    /* true: each rank has all bodies, as own ones or inner ghosts */

    /* adapted from tick to tick */
    double speed_margin; /* factor of the speed bound (speed_limit in ranks_step.c) */
    double buffer;       /* m, width of the outer ghosts around the inner ones */
    uint64_t ticks_since_partition;
    bool recorded;      /* true: rank 0 recorded its world at the last kg_ranks_divide */
    bool gathered;      /* true: rank 0 has copies of all other bodies behind its own */
    bool impacts_apart; /* true: rank 0 may lack impacts of the last tick that other ranks have */
    bool edited;        /* true: each rank has all bodies, and calls may change them */

    kugel_ranks_counts counts;
    kg_column columns[KG_RANKS_COLUMNS];
};

/* transfer.c */
/* Replace each value by its reduction over all ranks. */
kugel_status kg_ranks_reduce(kugel_ranks *ranks, kugel_reduction operation, uint64_t *values,
                             size_t count);
/* The sum of an array by rank. */
uint64_t kg_ranks_total(const kugel_ranks *ranks, const uint64_t *numbers);
/* Append a body to the list; false when out of memory. */
bool kg_ranks_list_body(kugel_ranks *ranks, uint32_t slot, uint32_t rank, bool inner);
/* List each body for all other ranks, as an inner ghost; false when out of memory. */
bool kg_ranks_list_for_all(kugel_ranks *ranks);
/* Send the rows of the listed bodies and receive the rows that other ranks send. If `listed` is
 * false on a rank, it could not list its bodies: all ranks return KUGEL_ERROR_OUT_OF_MEMORY. */
kugel_status kg_ranks_transfer_bodies(kugel_ranks *ranks, bool listed);
/* Append the rows that were received last to the bodies, and set `inner`. */
void kg_ranks_append_received(kugel_ranks *ranks);
/* Let ranks->sent and ranks->received point to `sent` and `received` words, which are valid until
 * the next step or sort of the world. False when out of memory. */
bool kg_ranks_lend_words(kugel_ranks *ranks, size_t sent, size_t received);
/* Send sent_words[i] words of ranks->sent to rank i, and receive received_words[i] from it. */
kugel_status kg_ranks_exchange_words(kugel_ranks *ranks);

/* migrate.c */
/* Find the boxes of the ranks, from the bodies of all ranks. */
kugel_status kg_ranks_repartition(kugel_ranks *ranks);
/* Move each body to the rank that owns its place. */
kugel_status kg_ranks_migrate(kugel_ranks *ranks);
/* List the bodies in boxes of other ranks; false when out of memory. */
bool kg_ranks_list_leaving(kugel_ranks *ranks);
/* Remove the listed bodies. */
void kg_ranks_drop_listed(kugel_ranks *ranks);

/* halo.c */
/* Add ghosts of the bodies of other ranks behind the own ones. */
kugel_status kg_ranks_add_ghosts(kugel_ranks *ranks);
/* Let the step hash the paths of inner ghosts and of their originals. False when out of memory. */
bool kg_ranks_begin_comparison(kugel_ranks *ranks);
/* Compare the paths of inner ghosts with those of their originals. *same becomes true if those of
 * this rank agree. */
kugel_status kg_ranks_compare_ghosts(kugel_ranks *ranks, bool *same);
void kg_ranks_drop_ghosts(kugel_ranks *ranks);

/* gather.c */
/* Add copies of all other bodies in rows behind those of rank 0. */
kugel_status kg_ranks_gather(kugel_ranks *ranks);
/* Add the impacts of the last tick on other ranks to those of rank 0. */
kugel_status kg_ranks_gather_impacts(kugel_ranks *ranks);
/* Remove the copies, if there are any. */
void kg_ranks_drop_gathered(kugel_ranks *ranks);

/* ranks_step.c */
/* Advance by dt (checked), s. */
kugel_status kg_ranks_step(kugel_ranks *ranks, double dt);

/* replicate.c */
/* True if the bodies of a world can be divided; else the world must be replicated. */
bool kg_ranks_can_divide(const kugel_world *world);
/* Mark a world of which each rank holds all bodies as replicated. */
void kg_ranks_begin_replicas(kugel_ranks *ranks);
/* Replicate a divided world. */
kugel_status kg_ranks_replicate(kugel_ranks *ranks);
/* Begin changes: give each rank the whole world. */
kugel_status kg_ranks_edit(kugel_ranks *ranks);
/* Remove gathered copies. End changes, if they have begun: divide or replicate the world. */
kugel_status kg_ranks_end_edit(kugel_ranks *ranks);

/* ranks_record.c */
/* Record a successful step on rank 0. A failure of the recording is kept in its own status. */
kugel_status kg_ranks_record(kugel_ranks *ranks, double dt);

/* ranks_create.c */
/* Divide a world that is equal on all ranks, or replicate it if it cannot be divided. */
kugel_status kg_ranks_divide(kugel_ranks *ranks);
/* Create ranks of a world that is equal on all ranks. If the worlds are unequal, or a rank other
 * than 0 records its world, the world's last error says so. */
kugel_status kg_ranks_create(kugel_world *world, const kugel_exchange *exchange, kugel_ranks **out);
/* Free the buffers with an item for each listed, sent or received body, which are large after a
 * transfer of all bodies. */
void kg_ranks_free_buffers(kugel_ranks *ranks);
/* Free all but the world. */
void kg_ranks_free(kugel_ranks *ranks);

/* ranks_sums.c */
/* The state hash of the whole world. */
kugel_status kg_ranks_hash(kugel_ranks *ranks, uint64_t *hash);
/* In: stats of this rank. Out: stats of the whole world. */
kugel_status kg_ranks_sum_stats(kugel_ranks *ranks, kugel_stats *stats);
/* Add the energies of the whole world to *sums. */
kugel_status kg_ranks_sum_energy(kugel_ranks *ranks, kugel_energy *sums);
/* Replace the counters of each rank's world by their sums over the ranks. */
kugel_status kg_ranks_sum_counters(kugel_ranks *ranks);
/* Clear the counters, and the ends of contacts that calls removed, on all ranks but 0. Use when all
 * ranks have the same ones: sums over the ranks then include them once. */
void kg_ranks_keep_counters_on_rank_0(kugel_ranks *ranks);

#endif
