# SPDX-License-Identifier: Apache-2.0
"""What the rows of a file say, before anything is derived. Times are whole nanoseconds, None is
unknown."""
import collections

# call: the index of the launching call in Raw.calls, None where it is not in the file. external: Kineto's
# External id, by which a kernel without a call has its op.
Work = collections.namedtuple(
    "Work", "process device stream kind name start end bytes correlation call external", defaults=[None] * 4)
Call = collections.namedtuple("Call", "process thread name start end correlation")
# style: PushPop or StartEnd. kind: "op" of what a trace calls an operator, "module", "away" of a range that
# may end on another thread, which is projected onto no work, or "user" of any other.
Range = collections.namedtuple("Range", "process thread text start end style kind external",
                               defaults=["PushPop", "user", None])
HOUR = 3600 * 10**9
# Whole later rows of a stream within one row of it: its end is wrong (docs/decisions.md).
SEVERAL = 4


class Raw:
    def __init__(self, form):
        self.form = form  # nsys, nvprof or kineto
        self.work, self.calls, self.ranges = [], [], []
        self.names_are_told = True  # False: kernels have mangled names, their figures are compared as a set
        self.damaged = 0  # events that could not be read
        self.skipped = []  # what was not read or is not comparable, in words

    def skip(self, why):
        if why not in self.skipped:
            self.skipped.append(why)

    def link(self):
        """Ties work to the call of the same process with its correlation id, and to nothing else."""
        calls, twice = {}, set()
        for index, call in enumerate(self.calls):
            key = call.process, call.correlation
            if call.correlation and calls.setdefault(key, index) != index:
                twice.add(key)
        self.work = [
            work._replace(call=calls.get((work.process, work.correlation)) if work.correlation else None)
            for work in self.work
        ]
        return twice

    def set_aside(self):
        """Leaves out work that cannot be (manual, Trust, and Traces of the PyTorch Profiler): that ends
        before it starts, is there twice, lasts past several later pieces of its own stream, or, where
        most is not so, has a time of 0 or hours from its launch."""
        count = len(self.work)
        self.work = [work for work in self.work if work.end >= work.start]
        lying = [self.is_far(work) for work in self.work]
        if sum(lying) <= len(lying) / 2:
            self.work = [work for work, lie in zip(self.work, lying) if not lie]
        self.work = self.once()
        self.work = self.without_overruns()
        if len(self.work) < count:
            self.skip("%d rows of GPU work that cannot be" % (count - len(self.work)))

    def is_far(self, work):
        if work.start == 0 and work.end == 0:
            return True
        return work.call is not None and abs(work.start - self.calls[work.call].start) > HOUR

    def once(self):
        seen, kept = set(), []
        for work in self.work:
            key = work._replace(external=None)
            if not work.correlation or key not in seen:
                kept.append(work)
            seen.add(key)
        return kept

    def without_overruns(self):
        streams, over = collections.defaultdict(list), set()
        for index, work in enumerate(self.work):
            streams[work.process, work.device, work.stream].append(
                (work.start, work.end, work.correlation, index))
        for rows in streams.values():
            rows.sort()
            found = set()
            for at, (_, end, correlation, index) in enumerate(rows):
                behind = rows[at + 1:at + 1 + SEVERAL]
                if len(behind) == SEVERAL and all(row[1] < end and row[2] != correlation for row in behind):
                    found.add(index)
            if len(found) <= len(rows) / 100 + 1:  # where it is frequent the stream runs work in parallel
                over |= found
        return [work for index, work in enumerate(self.work) if index not in over]
