// SPDX-License-Identifier: Apache-2.0
// Base64 encoding: RFC 4648 with padding.
#ifndef BASE_TEXT_BASE64_H
#define BASE_TEXT_BASE64_H

#include <stddef.h>

#define BASE64_SIZE(bytes) (((bytes) + 2) / 3 * 4 + 1) // with the final NUL

// Writes BASE64_SIZE(length) chars; returns `out`.
char *base64(char *out, const void *bytes, size_t length);

#endif
