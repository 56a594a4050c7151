// SPDX-License-Identifier: Apache-2.0
// Text for display: UTF-8, display width, truncation, and escaping of unsafe bytes.
#ifndef BASE_TEXT_TEXT_H
#define BASE_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/bytes.h"

// Reads one code point at text[0..length). Returns the number of bytes consumed, at least 1; an
// invalid sequence consumes one byte and yields U+FFFD. Returns 0 only if `length` is 0.
size_t text_decode(const char *text, size_t length, uint32_t *code);
size_t text_encode(uint32_t code, char out[4]); // returns the number of bytes written

// Returns true for code points that must never be sent to a terminal: control characters (C0, DEL,
// C1), bidirectional overrides and isolates, line and paragraph separators, the BOM, zero-width
// characters that hide text, and noncharacters.
bool text_is_unsafe(uint32_t code);

// Returns the width of a code point in columns (0, 1 or 2) by libc's wcwidth() in the current
// locale, as the terminal library counts; 1 if wcwidth() does not know it.
int text_code_width(uint32_t code);
int text_width(const char *text); // `text` must be safe

// Returns the number of printable ASCII characters at the beginning. In most texts these are all.
size_t text_plain_length(const char *text, size_t length);

// Returns a copy that is safe to print. Unsafe code points become visible: "^[" for ESC,
// "<U+202E>", "\xNN" for bytes that are not UTF-8. With `one_line` \n and \t become a blank.
char *text_safe(struct arena *arena, const char *text, size_t length, bool one_line);
void text_put_safe(struct bytes *out, const char *text, size_t length, bool one_line);

// Sentences of the model and of reports are ASCII ("48.1 us each"), as files and pipes receive
// them. Returns the form for the screen ("48.1 µs each"), or `text` itself if `ascii`.
const char *text_display_units(struct arena *arena, const char *text, bool ascii);

// Truncates safe text to at most `columns`, at the end ("abc…") or in the middle ("abc…xyz"). The
// ellipsis is "…", or "~" with `ascii`.
char *text_cut(struct arena *arena, const char *text, int columns, bool middle, bool ascii);

// Shortens a C++ kernel name: drops the return type and parameter lists and cuts template arguments
// nested deeper than `depth`. "void at::reduce<512, ReduceOp<float, 4> >(ReduceOp<float, 4>)"
// becomes "at::reduce<512, ReduceOp<...>>" at depth 1 and "at::reduce<...>" at 0.
char *text_fold_templates(struct arena *arena, const char *name, int depth);

// Shortens a C++ signature (a name with its parameter list) until it fits into `columns`: drops
// return type, parameters and namespaces, then deep template arguments. The result may still be too
// wide; the caller truncates it.
bool text_is_signature(const char *name);
const char *text_shorten_signature(struct arena *arena, const char *name, int columns);

// Compares in natural order: digits compare as numbers ("layer2" before "layer10").
int text_compare_natural(const char *a, const char *b);

// True if `path` ends in the whole names of `end`: "/step N/layers.*/mlp" ends in "layers.*/mlp".
bool text_path_ends(const char *path, const char *end);

// Returns the path as it is displayed: "standard input" for /proc/self/fd/N. That is how standard
// input is opened unless it is a file with a path.
#define TEXT_OPEN_FILES "/proc/self/fd/"
const char *text_display_path(const char *path);

// Returns the name of a file from its path, preceded by as many folders as distinguish it from the
// file `other_path` (NULL: none): for a/run.sqlite and b/run.sqlite, "a/run.sqlite". The result
// points into the displayed path.
const char *text_file_name(const char *path, const char *other_path);

// Finds the n-th run of digits (0-based) that forms a field of its own: on each side an end of the
// text or one of . _ - / space : # [ ]. Returns false if there is none.
bool text_number_field(const char *text, size_t length, size_t n, size_t *start, size_t *end);

#endif
