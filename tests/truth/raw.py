# SPDX-License-Identifier: Apache-2.0
"""What the rows of a file say, before anything is derived. Times are whole nanoseconds, None is unknown."""
import collections

# call: the index of the launching call in Raw.calls, None where it is not in the file. external: Kineto's
# External id, by which a kernel without a call has its op.
Work = collections.namedtuple("Work", "process device stream kind name start end bytes correlation call external")
Call = collections.namedtuple("Call", "process thread name start end correlation")
# style: PushPop or StartEnd. kind: "op" of what a trace calls an operator, "module", "away" of a range that
# may end on another thread, which is projected onto no work, or "user" of any other.
Range = collections.namedtuple("Range", "process thread text start end style kind external")
HOUR = 3600 * 10**9


class Raw:
    def __init__(self, form):
        self.form = form  # nsys, nvprof or kineto
        self.work, self.calls, self.ranges = [], [], []
        self.names_are_told = True  # False: kernels have mangled names, which are compared as a set of figures
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
        """Leaves out work that ends before it starts, and where most is not so, work with times of 0 or hours from
        its launch."""
        self.work, backwards = [work for work in self.work if work.end >= work.start], len(self.work)
        if len(self.work) < backwards:
            self.skip("%d rows of GPU work end before they start" % (backwards - len(self.work)))

        def lies(work):
            if work.start == 0 and work.end == 0:
                return True
            return work.call is not None and abs(work.start - self.calls[work.call].start) > HOUR

        lying = [lies(work) for work in self.work]
        if 0 < sum(lying) <= len(lying) / 2:
            self.skip("%d rows of GPU work with times that cannot be" % sum(lying))
            self.work = [work for work, lie in zip(self.work, lying) if not lie]
