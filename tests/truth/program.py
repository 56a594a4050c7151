# SPDX-License-Identifier: Apache-2.0
"""Asks the program for its reports, as JSON."""
import json
import os
import subprocess


class Refused(Exception):
    pass


class Program:
    def __init__(self, path):
        self.path = path
        self.environment = dict(os.environ, XDG_CACHE_HOME="/dev/null", XDG_STATE_HOME="/dev/null",
                                LC_ALL="C.UTF-8", TZ="UTC")

    def report(self, name, files, columns, *options):
        """The rows of a report, all steps taken and names in full."""
        options = options or ("--iters=all",)
        command = [self.path, "--print=" + name, "--names=full", "--formats=json",
                   "--columns=" + ",".join(columns), *options, *files]
        done = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              check=False, timeout=1200)
        if done.returncode:
            raise Refused("%s: status %d: %s" % (name, done.returncode,
                                                 done.stderr.decode("utf-8", "replace").strip()[:300]))
        return json.loads(done.stdout.decode("utf-8", "replace"))
