// SPDX-License-Identifier: Apache-2.0
// What the rows of a long flat table say. Rows that say the same in every text column are of one
// kind; a pattern is asked once of each kind, and not of every row at every key.
#ifndef UI_TABLE_TEXTS_H
#define UI_TABLE_TEXTS_H

#include "ui/table/table.h"

enum { TEXT_KINDS = 4096 }; // of a part, at most

struct text_part {      // of the rows, with kinds of its own
    const char **texts; // kind x column; NULL: it has none there
    size_t kinds;       // 0: too many, ask the rows
};

// Of table_parts(), in order.
struct table_texts {
    size_t columns;                 // of texts, ...
    uint16_t column[TABLE_COLUMNS]; // ... in the report
    uint16_t *kind;                 // of each row, in its part
    struct text_part *parts;
};

// How many parts of its rows threads look at, rows * p / parts on: 1 of a tree, whose rows follow from
// those above them, and of few.
size_t table_parts(const struct table *table);

// Of the rows that the table has, in an arena that lives as long as they do. NULL: there is
// one part only, or no memory.
const struct table_texts *table_texts(struct table *table);

#endif
