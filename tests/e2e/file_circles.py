#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""file_circles.py BUILD: prints, per room, the number of files in its largest circle.

A file is a .c with its .h. An arrow goes from one file to another of the same room that it includes or whose
symbols it uses, by nm on the objects of the build. Run in the root of the checkout.
"""
import glob
import os
import re
import subprocess
import sys


def arrows_of(folder):
    """The arrows between the files of a room, from its objects."""
    defined, used, included = {}, {}, {}
    for path in glob.glob(folder + "/src/**/*.o", recursive=True):
        source = path[len(folder) + 1:-2]
        if not os.path.exists(source):
            continue  # left over from a file that moved
        room, name = os.path.dirname(source), os.path.basename(source)[:-2]
        used[name], included[name] = set(), set()
        symbols = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        for line in symbols.splitlines():
            words = line.split()
            if len(words) == 3 and words[1] in "TDRBC":
                defined[words[2]] = name
            elif len(words) == 2 and words[0] == "U":
                used[name].add(words[1])
        for end in (".c", ".h"):
            if os.path.exists(source[:-2] + end):
                text = open(source[:-2] + end, encoding="utf-8").read()
                headers = re.findall(r'#include "([^"]+)\.h"', text)
                own = [header for header in headers if os.path.dirname("src/" + header) == room]
                included[name] |= {os.path.basename(header) for header in own}
    return {name: ({defined[s] for s in used[name] if s in defined} | (included[name] & set(used))) - {name}
            for name in used}


def reach(arrows, start):
    """All files that a file leads to."""
    found, left = set(), [start]
    while left:
        for other in arrows[left.pop()]:
            if other not in found:
                found.add(other)
                left.append(other)
    return found


def main():
    for folder in sorted(glob.glob(sys.argv[1] + "/CMakeFiles/*.dir")):
        arrows = arrows_of(folder)
        reached = {name: reach(arrows, name) for name in arrows}
        largest = max([sum(name in reached[other] for other in reached[name]) for name in arrows] or [0])
        if largest > 1:
            print(os.path.basename(folder)[:-4], largest)


main()
