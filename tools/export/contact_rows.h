/* The resting contacts of a world, each once. */
#ifndef EXPORT_CONTACT_ROWS_H
#define EXPORT_CONTACT_ROWS_H

#include <kugel/kugel.h>

/* All zero: empty. */
typedef struct contact_rows {
    size_t count, capacity;
    kugel_resting_contact *rows;
} contact_rows;

/* false: out of memory. */
bool contact_rows_read(contact_rows *contacts, const kugel_world *world);
void contact_rows_free(contact_rows *contacts);

#endif
