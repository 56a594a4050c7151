// SPDX-License-Identifier: Apache-2.0
// Text as people see it: UTF-8, display width, cutting, and making hostile bytes visible.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

// Reads one code point at text[0..length). Returns the bytes taken (at least 1); an invalid
// sequence takes one byte and gives U+FFFD. 0 only when `length` is 0.
size_t text_decode(const char *text, size_t length, uint32_t *code);
size_t text_encode(uint32_t code, char out[4]); // bytes written

// True for what must never reach a terminal as it is: control characters (C0, DEL, C1),
// bidirectional overrides and isolates, line and paragraph separators, the BOM and zero-width
// characters that hide text, unassigned noncharacters.
bool text_is_unsafe(uint32_t code);

// Columns that a code point takes (0, 1 or 2), as the terminal library counts (libc wcwidth in
// the present locale; 1 where that knows nothing).
int text_code_width(uint32_t code);
int text_width(const char *text); // of safe text

// How many bytes at the beginning are ASCII that prints as it is: most texts are nothing else.
size_t text_plain_length(const char *text, size_t length);

// A copy that is safe to print: unsafe code points become visible ("^[" for ESC, "<U+202E>",
// "\xNN" for bytes that are no UTF-8; \n and \t become a blank when `one_line`).
char *text_safe(struct arena *arena, const char *text, size_t length, bool one_line);
void text_put_safe(struct bytes *out, const char *text, size_t length, bool one_line);

// Sentences of the model and of reports are ASCII, "48.1 us each", as files and pipes get them. As the
// screen writes them: "48.1 µs each", with `ascii` as they are.
const char *text_units(struct arena *arena, const char *text, bool ascii);

// Cuts safe text to at most `columns`: at the end ("abc…") or in the middle ("abc…xyz"). The
// mark is "…" or, with `ascii`, "~".
char *text_cut(struct arena *arena, const char *text, int columns, bool middle, bool ascii);

// A C++ kernel name made readable: return type and parameter lists dropped, template arguments
// nested deeper than `depth` cut. "void at::reduce<512, ReduceOp<float, 4> >(ReduceOp<float, 4>)"
// is "at::reduce<512, ReduceOp<...>>" at depth 1 and "at::reduce<...>" at 0.
char *text_fold_templates(struct arena *arena, const char *name, int depth);

// Where a signature of C++ (a name with its list of parameters) has to do with `columns`: return
// type, parameters and namespaces are dropped, then deep template arguments. What does not fit even so
// is the caller's to cut.
bool text_is_signature(const char *name);
const char *text_shorten_signature(struct arena *arena, const char *name, int columns);

// Order for people: digits compare as numbers ("layer2" before "layer10").
int text_compare_natural(const char *a, const char *b);

// Whether a path ends in whole names: "/step N/layers.*/mlp" in "layers.*/mlp".
bool text_path_ends(const char *path, const char *end);

// A path as people read it. Standard input has no name where it is no file that lies in a folder: it is
// read as an open file by its number, and is called "standard input".
#define TEXT_OPEN_FILES "/proc/self/fd/"
const char *text_path_shown(const char *path);

// The name of a file in its path, with as many folders before it as tell it from the file `beside`
// (NULL: none): of a/run.sqlite beside b/run.sqlite "a/run.sqlite". A part of the path as it is shown.
const char *text_file_name(const char *path, const char *beside);

// One integer field of a name: finds the n-th run of digits (0-based) that stands as a field of
// its own (each side an end or one of . _ - / space : # [ ]). False when there is none.
bool text_number_field(const char *text, size_t length, size_t n, size_t *start, size_t *end);

#endif
