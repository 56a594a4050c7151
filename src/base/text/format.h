// SPDX-License-Identifier: Apache-2.0
// Formats numbers for people. Every function writes into `out` and returns it.
//
// Here and in json.h, literal.h and yaml.h numbers have a decimal point: main() sets LC_CTYPE from
// the environment but leaves LC_NUMERIC alone.
#ifndef BASE_TEXT_FORMAT_H
#define BASE_TEXT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FORMAT_SIZE = 48 }; // enough for every function here

// Three significant digits and a unit: "0 ns", "873 ns", "1.23 us", "45.1 ms", "3.15 min",
// "2.50 hr", "4.00 days" ("µs" unless `ascii`).
char *format_duration(char out[FORMAT_SIZE], int64_t ns, bool ascii);
// A point in time with microseconds, so that neighbouring times differ: "19.134568 s".
char *format_time(char out[FORMAT_SIZE], int64_t ns);
char *format_bytes(char out[FORMAT_SIZE], int64_t bytes); // 1000-based: "1.23 GB"
char *format_count(char out[FORMAT_SIZE], int64_t count); // thousands separators: "1,234,567"
// With its noun: "1 kernel", "1,234 kernels", "2 processes".
char *format_counted(char out[FORMAT_SIZE], uint64_t count, const char *noun);
char *format_percent(char out[FORMAT_SIZE], double share); // share 0..1 to "12.3"; NaN: "-"
// A relative change (0.089 is 8.9 % more) as "+8.9", "-4.4" or "0.0", followed by `percent`, such
// as " %". A growth to ten times and more is written as a factor: "x10.4".
char *format_change(char out[FORMAT_SIZE], double share, const char *percent);
// Three significant digits: "1.23", "123", "0.00123". From 1000 on all digits of the whole number:
// "1,234,567".
char *format_real(char out[FORMAT_SIZE], double value);
char *format_exact(char out[FORMAT_SIZE], double value); // the fewest digits that read back as the
                                                         // same value

// Parses a duration or size with an optional unit, as typed in a filter: "1ms", "2.5us", "3GB",
// "12" (ns, bytes). The case of units is ignored; "GB" is 1000-based, "GiB" 1024-based. Returns
// false if the text is neither.
bool format_parse_duration(const char *text, int64_t *ns);
bool format_parse_bytes(const char *text, int64_t *bytes);

#endif
