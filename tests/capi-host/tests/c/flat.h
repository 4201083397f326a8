/* The shared vectors as lines, which vectors.rs makes of their JSON, so that C needs no JSON of its own:
 *
 *     case                a case begins
 *     reply.status 323030  the value at this path, in hex; "-" is an empty one, "null" null. Lists count from 0
 *     end                 the case is whole
 */
#ifndef FLAT_H
#define FLAT_H

#include <stddef.h>

typedef struct {
    char path[120];
    char *value; /* NUL-terminated; NULL for null */
    size_t len;
} flat_field;

typedef struct {
    flat_field fields[512];
    size_t count;
} flat_case;

/* Reads the next case into `one`, which is emptied before. 0 at the end of the input; what is no case ends the program. */
int flat_next(flat_case *one);
/* The field at this path, or NULL. The path is made as printf does. */
const flat_field *flat_field_at(const flat_case *one, const char *path, ...);
/* Its value, or NULL where there is none. */
const char *flat_text(const flat_case *one, const char *path, ...);

#endif
