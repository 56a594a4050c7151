#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""room_symbols.py BUILD: prints each use of a symbol of a room that the user does not stand on, and
each function that a header of another room than its own declares.

The arrows are those of cmake/rooms.cmake, the symbols those of the objects of the build, by nm. Run in the
root of the checkout.
"""
import glob
import os
import re
import subprocess
import sys


def arrows():
    """Room -> the rooms that it stands on directly."""
    text = open("cmake/rooms.cmake", encoding="utf-8").read()
    formats = re.search(r"^set\(formats ([^)]*)\)", text, re.M)[1].split()
    found = {}
    for room, words in re.findall(r"add_room\((\S+)([^)]*)\)", text):
        part, on = None, []
        for word in words.split():
            if word in ("ON", "PRIVATE", "EXTRA", "HEADERS"):
                part = word
            elif part in ("ON", "PRIVATE"):
                on.append(word.replace("_", "/") if part == "PRIVATE" else word)
        found[room] = on + (formats if "${formats}" in on else [])
    return found


def below(found, room, seen):
    for other in found.get(room, []):
        if other in found and other not in seen:
            seen.add(other)
            below(found, other, seen)
    return seen


def strangers(defined):
    """Prints each function that a header declares though another room defines it."""
    for path in sorted(glob.glob("src/**/*.h", recursive=True)):
        room = os.path.dirname(path)[4:]
        if "HEADERS %s " % path[4:] in open("cmake/rooms.cmake", encoding="utf-8").read():
            continue  # the interface of several rooms
        text = re.sub(r"//.*", "", open(path, encoding="utf-8").read())
        for name in re.findall(r"^(?!static|typedef|#|\s)[^;{}=#]*?\b([a-z_0-9]+)\([^;{}]*;", text, re.M):
            if defined.get(name, room) != room:
                print("declared: %s has %s, which %s defines" % (path, name, defined[name]))


def main():
    found, defined, used = arrows(), {}, []
    for path in glob.glob(sys.argv[1] + "/CMakeFiles/*.dir/src/**/*.o", recursive=True):
        source = path.split(".dir/", 1)[1][:-2]
        if not os.path.exists(source):
            continue  # left over from a file that moved
        room = os.path.dirname(source)[4:]
        symbols = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        for line in symbols.splitlines():
            words = line.split()
            if len(words) == 3 and words[1] in "TDRBC":
                defined[words[2]] = room
            elif len(words) == 2 and words[0] == "U":
                used.append((room, source, words[1]))
    strangers(defined)
    print("%d symbols of %d rooms" % (len(defined), len(set(defined.values()))))
    for room, source, symbol in sorted(used):
        other = defined.get(symbol, room)
        if other != room and other not in below(found, room, set()):
            print("upward: %s uses %s of %s" % (source, symbol, other))


main()
