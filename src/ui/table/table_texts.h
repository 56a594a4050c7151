// SPDX-License-Identifier: Apache-2.0
// Texts of the rows of a long flat table. Rows that have the same text in every text column are
// of one kind. A pattern is matched once per kind instead of once per row at every key stroke.
#ifndef UI_TABLE_TABLE_TEXTS_H
#define UI_TABLE_TABLE_TEXTS_H

#include "ui/table/table.h"

enum { MAX_TEXT_KINDS = 4096 }; // maximum per part

struct text_part {      // a range of rows with kinds of its own
    const char **texts; // indexed kind * columns + column; NULL: no text
    size_t kinds;       // 0: too many kinds, match each row
};

// The kinds of all rows. Parts are numbered as in table_parts().
struct table_texts {
    size_t columns;                     // number of text columns
    uint16_t column[MAX_TABLE_COLUMNS]; // their indices in the report
    uint16_t *kind;                     // per row, within its part
    struct text_part *parts;
};

// Returns the number of parts that threads process; part p begins at row rows * p / parts. Trees
// have 1 part, as rows depend on the rows above; so do small tables.
size_t table_parts(const struct table *table);

// Returns the texts of the present rows, in an arena that lives as long as they do. NULL if there
// is only one part, or out of memory.
const struct table_texts *table_texts(struct table *table);

#endif
