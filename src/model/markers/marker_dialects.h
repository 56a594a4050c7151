// SPDX-License-Identifier: Apache-2.0
// The dialects of range texts and their shared helpers, for markers.c, the marker_*.c files, and
// loaders whose file records arguments itself.
//
// To add a dialect, write marker_x.c with one function that either recognises a text and fills the
// marker (true) or leaves it untouched (false), and add a line to DIALECT_LIST in markers.c. The
// marker passed in is a plain one: kind, dialect, text and title are set.
#ifndef MODEL_MARKERS_MARKER_DIALECTS_H
#define MODEL_MARKERS_MARKER_DIALECTS_H

#include "model/markers/markers.h"

struct marker_text {
    struct strings *strings;
    struct arena *arena;
    const char *domain; // "" for the default domain
    const char *text;   // without `, seq = N` and what follows it
    size_t length;
    bool has_seq, has_op_id; // the range has a sequence number or op id
    enum range_said said;    // what the file records about the range besides its text
    const char *sizes;       // text after `sizes = `, or NULL
    size_t sizes_length;
};

// Suffixes that loaders append to the sizes if their file records more about arguments: a list of
// texts each, one per argument.
#define TYPES_TITLE  ", types = "
#define VALUES_TITLE ", values = "

typedef bool marker_dialect_parse(const struct marker_text *text, struct marker *marker);
marker_dialect_parse
    marker_step; // for loaders that look for numbered steps before they read ranges

// Helpers shared by the dialects.
bool marker_text_begins(const struct marker_text *text, const char *prefix);
string_id marker_intern(const struct marker_text *text, const char *start, size_t length);

// Finds the value of a key that TSL appends to a name: `NAME#key=value,key=value#`. A comma in
// brackets belongs to the value. Returns false if there is no such key.
struct text_span {
    const char *text;
    size_t length;
};
bool marker_annotation(const struct marker_text *text, const char *key, struct text_span *value);

// At most ARGUMENT_LIMIT arguments of a text and RANK_LIMIT dimensions of a tensor are kept.
enum { ARGUMENT_LIMIT = 4096, RANK_LIMIT = 16 };

// Reads `[[32, 6], [], [6]]` as one argument per item: a tensor if the item is a list of integers,
// otherwise an argument of unknown kind. Returns false, and sets nothing, if the text is not such a
// list.
bool marker_read_sizes(const struct marker_text *text, const char *sizes, size_t length,
                       struct marker *marker);

// Reads the settings of a MARKER_CONFIG into `config`, replacing those that are present.
bool marker_read_config(const char *text, size_t length, struct model_config *config);

#endif
