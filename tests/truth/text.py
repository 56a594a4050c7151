# SPDX-License-Identifier: Apache-2.0
"""Texts as both sides can be held against each other."""


def visible(text):
    """Without the characters that the program makes visible."""
    return "".join(letter if letter.isprintable() and letter != "\ufffd" else "?" for letter in text)
