// SPDX-License-Identifier: Apache-2.0
// The long tables of a profile described as data: column names, storage, and what values refer to.
// Code that copies rows of a profile iterates over these tables (merge.c, digest_write.c,
// load_digest.c), so that a new column only needs a row here. Derived columns are not included.
#ifndef MODEL_PROFILE_TABLES_H
#define MODEL_PROFILE_TABLES_H

#include "model/profile/profile.h"

// What a value is, or which table it is a row of.
enum reference {
    REFERS_NOTHING,
    REFERS_TIME,
    REFERS_TEXT,
    REFERS_PROCESS,
    REFERS_THREAD,
    REFERS_DEVICE,
    REFERS_STREAM,
    REFERS_FUNCTION,
    REFERS_SHAPE,
    REFERS_COPY,
    REFERS_DOMAIN,
    REFERS_LABEL,
    REFERS_CHAIN, // an id; 0: none
    REFERS_WORK,
    REFERS_CALL,
    REFERS_RANGE,
    REFERS_SYNC,
    REFERS_OS_CALL,
    REFERS_OVERHEAD,
    REFERS_NODE,
    REFERS_FRAME,
    REFERS_EVENT,
    REFERS_ALLOCATION,
    REFERS_RECORDED_OP, // recorded_ops.instances
    REFERS_COLLECTIVE,
    REFERS_COUNT
};

enum field_storage { COLUMN32, COLUMN64, ARRAY8, ARRAY32, ARRAY64 };

struct profile_field {
    const char *name;
    size_t at; // offset in struct profile
    enum field_storage as;
    enum reference to;
    // Value of a row that has none, if rows may have none (ROW_NONE, UNKNOWN), and of all rows of a
    // part without this field.
    int64_t otherwise;
    bool is_optional_field; // a profile with rows may lack this field
};

struct profile_table {
    const char *name;
    size_t count; // offset in struct profile
    enum reference rows;
    const struct profile_field *fields;
    size_t field_count;
};

enum { PROFILE_TABLES = 11 };
extern const struct profile_table profile_tables[PROFILE_TABLES];

static inline uint32_t table_rows(const struct profile *profile, const struct profile_table *table)
{
    return *(const uint32_t *)((const char *)profile + table->count);
}

bool field_exists(const struct profile *profile, const struct profile_field *field);
int64_t field_value(const struct profile *profile, const struct profile_field *field, uint32_t row);
// Packs or copies values[order[i]] (`order` NULL: values[i]) into the profile. `values` is an array
// of items of field_size() bytes.
size_t field_size(const struct profile_field *field);
void field_set(struct profile *profile, const struct profile_field *field, const void *values,
               const uint32_t *order, uint32_t count);

#endif
