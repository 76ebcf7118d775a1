/* Resting contacts of a world as a .vtp file of lines, from the centre of a body to that of the
 * other body, or to the contact point on a face or surface. */
#ifndef EXPORT_VTP_CONTACTS_H
#define EXPORT_VTP_CONTACTS_H

#include "format.h"

/* false: errno says why, or the stream's error is set. */
bool vtp_contacts_write(FILE *to, const frame *f);

#endif
