// SPDX-License-Identifier: Apache-2.0
// Styles: the meaning of a cell. Colours are assigned by themes (theme.h).
#ifndef UI_TERM_STYLE_H
#define UI_TERM_STYLE_H

enum style {
    STYLE_TEXT,
    STYLE_DIM,    // secondary text: units, zeros, context
    STYLE_STRONG, // the figure that matters most
    STYLE_TITLE,  // first line of the screen
    STYLE_TAB,    // names of views
    STYLE_TAB_ACTIVE,
    STYLE_SCOPE, // the line that shows the selection
    STYLE_RULE,  // lines between parts
    STYLE_RULE_TITLE,
    STYLE_HEADER, // column heads
    STYLE_HEADER_SORT,
    STYLE_CURSOR, // background of the row under the cursor
    STYLE_MATCH,  // match of a search or filter
    STYLE_MARK,   // marked rows
    STYLE_KEY,    // a key in the footer
    STYLE_LABEL,  // action of the key in the footer
    STYLE_PROMPT,
    STYLE_GOOD,
    STYLE_WARNING,
    STYLE_BAD,
    STYLE_BAR,  // share bars
    STYLE_TREE, // tree lines
    // Parts of a breakdown: each has one colour in all views.
    STYLE_TENSOR, // Tensor Core kernels
    STYLE_KERNEL, // other kernels
    STYLE_COMM,   // communication
    STYLE_COPY,   // copies, memory
    STYLE_GRAPH,  // opaque graphs
    STYLE_LOADER, // data loading
    STYLE_IO,
    STYLE_CPU,
    STYLE_IDLE,     // idle, other
    STYLE_EXCLUDED, // steps that are excluded from the set
    STYLE_COUNT,
};

#endif
