#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""ktap.py - totals of kselftest results.

usage: ktap.py [-f TEXT]... LABEL=FILE...

Each FILE is the output of run_kselftest.sh. Prints every failed and every
skipped test with its reason, then "N passed, N failed, N skipped". -f TEXT adds
a failure found elsewhere. Exit status: 0 if nothing failed and something ran.

What counts is the innermost result: a program's subtests, or the program itself
when it has none. A program also fails, as one more result,
  - when it printed neither a result nor a reason to skip, whatever its exit
    status says;
  - when its plan and the number of its results differ;
  - when it failed and none of its subtests did (crash, time limit).
A stream that ends before its own plan is fulfilled is a failure, too.
"""
import re
import sys

RESULT = re.compile(r"^(not )?ok\b\s*(\d+)?\s*(?:- )?(.*?)\s*$")
PLAN = re.compile(r"^1\.\.(\d+)\s*(?:#\s*(.*))?$")
DIRECTIVE = re.compile(r"(?:^|\s)#\s*(SKIP|XFAIL|TODO)\b:?\s*(.*)$", re.IGNORECASE)
REMARK = re.compile(r"\s+#\s*(.*)$")
NESTED = re.compile(r"^(?:# | {4})(.*)$")


class Level:
    """The results collected so far at one depth of nesting."""

    def __init__(self):
        self.plan = None
        self.plan_skip = None
        self.seen = 0
        self.leaves = []
        self.notes = []
        self.bail = None
        self.unexplained = None  # index of a failure whose reason may follow


def parse_result(line):
    """(kind, name, reason) of a result line, else None."""
    match = RESULT.match(line)
    if not match:
        return None
    kind = "fail" if match[1] else "pass"
    name, reason = match[3], ""
    directive = DIRECTIVE.search(name)
    if directive:
        # a known failure is neither a success nor a reason to stop
        kind = "skip"
        reason = directive[2] or directive[1].upper()
        name = name[: directive.start()].strip()
    else:
        remark = REMARK.search(name)
        if remark:
            reason = remark[1]
            name = name[: remark.start()]
    return kind, name.strip() or "test %s" % (match[2] or "?"), reason


class Stream:
    """One run_kselftest.sh output; leaves are (kind, name, reason)."""

    def __init__(self):
        self.levels = [Level()]

    def feed(self, line):
        depth = 0
        while True:
            nested = NESTED.match(line)
            if not nested:
                break
            rest = nested[1]
            if not self.is_ktap(rest):
                break
            line = rest
            depth += 1
        if not self.is_ktap(line):
            text = line.lstrip("# ").strip()
            if text:
                self.note(self.levels[-1], text)
            return
        line = line.lstrip("# ") if line.startswith("#") else line
        while len(self.levels) <= depth:
            self.levels.append(Level())
        level = self.levels[depth]
        plan = PLAN.match(line)
        result = parse_result(line)
        if plan:
            level.plan = int(plan[1])
            if plan[2] and plan[2].upper().startswith("SKIP"):
                level.plan_skip = plan[2][4:].strip(" :") or "skipped"
        elif line.startswith("Bail out!"):
            level.bail = line
        elif result:
            self.close(depth, result)

    @staticmethod
    def note(level, text):
        """A remark: before the result in the harness, after it in scripts."""
        level.notes.append(text)
        if level.unexplained is None:
            return
        if text.startswith(("RUN ", "FAILED: ", "Totals: ")):
            level.unexplained = None
            return
        kind, name, reason = level.leaves[level.unexplained]
        level.leaves[level.unexplained] = (kind, name, Stream.join(reason, text[:120]))
        if reason:
            level.unexplained = None

    @staticmethod
    def is_ktap(line):
        """Does the line, after any nesting marks, carry KTAP?"""
        while True:
            nested = NESTED.match(line)
            if not nested:
                break
            line = nested[1]
        return bool(
            PLAN.match(line)
            or re.match(r"^(not )?ok \d+\b|^(not )?ok$|^Bail out!", line)
        )

    def close(self, depth, result):
        """A result at this depth: what lies deeper belongs to it."""
        kind, name, reason = result
        level = self.levels[depth]
        level.seen += 1
        below = self.levels[depth + 1 :]
        del self.levels[depth + 1 :]
        notes = [n for lvl in [level] + below for n in lvl.notes]
        level.notes = []
        level.unexplained = None
        children = [leaf for lvl in below for leaf in lvl.leaves]
        for leaf in children:
            level.leaves.append((leaf[0], name + ": " + leaf[1], leaf[2]))
        for lvl in below:
            if lvl.bail:
                level.leaves.append(("fail", name, lvl.bail))
                return
            if lvl.plan is not None and lvl.plan != lvl.seen and not lvl.plan_skip:
                level.leaves.append(
                    ("fail", name, self.join("planned %d results, gave %d" % (lvl.plan, lvl.seen), reason))
                )
                return
        if children:
            if kind == "fail" and not any(leaf[0] == "fail" for leaf in children):
                level.leaves.append(("fail", name, reason or "failed after its last result"))
            return
        plan_skip = next((lvl.plan_skip for lvl in below if lvl.plan_skip), None)
        program = depth == 0
        if kind == "fail" and not program and not any(n.startswith("RUN ") for n in notes):
            if not reason:
                level.unexplained = len(level.leaves)
            level.leaves.append(("fail", name, reason))
        elif kind == "fail":
            level.leaves.append(("fail", name, self.join(reason, self.last(notes))))
        elif kind == "skip" or plan_skip:
            why = plan_skip or ("" if reason == "SKIP" else reason) or self.last(notes)
            level.leaves.append(("skip", name, why))
        elif program:
            level.leaves.append(("fail", name, "printed no result"))
        else:
            level.leaves.append((kind, name, reason))

    @staticmethod
    def join(*parts):
        return "; ".join(part for part in parts if part)

    @staticmethod
    def last(notes):
        """The remark that says most about what a test found."""
        skip = ("selftests: ", "timeout set to ", "Totals:", "TAP version", "overriding timeout")
        said = [note[:200] for note in notes if not note.startswith(skip)]
        # the harness names file and line, and more after that says less
        where = [
            note
            for note in said
            if re.search(r"\.(c|h|sh|py):\d+:|terminated by", note)
        ]
        return (where or said[-1:] or [""])[0]

    def finish(self):
        """All leaves, with a failure for what never came."""
        top = self.levels[0]
        unfinished = [leaf for lvl in self.levels[1:] for leaf in lvl.leaves]
        if unfinished:
            top.leaves += [(k, "(unfinished) " + n, r) for k, n, r in unfinished]
        if top.bail:
            top.leaves.append(("fail", "(run)", top.bail))
        elif top.plan is None:
            top.leaves.append(("fail", "(run)", "no plan: the tests never started"))
        elif top.plan != top.seen:
            top.leaves.append(
                ("fail", "(run)", "ended after %d of %d programs" % (top.seen, top.plan))
            )
        return top.leaves


def parse(lines):
    stream = Stream()
    for line in lines:
        stream.feed(line.rstrip("\r\n"))
    return stream.finish()


def main(argv):
    results = []
    args = list(argv)
    while args:
        arg = args.pop(0)
        if arg == "-f" and args:
            results.append(("fail", args.pop(0), ""))
        elif "=" in arg:
            label, path = arg.split("=", 1)
            with open(path, encoding="utf-8", errors="replace") as file:
                for kind, name, reason in parse(file):
                    name = re.sub(r"^selftests: \w+: ", "", name)
                    results.append((kind, "%s: %s" % (label, name), reason))
        else:
            sys.stderr.write(__doc__)
            return 2
    count = {"pass": 0, "fail": 0, "skip": 0}
    for kind, _, _ in results:
        count[kind] += 1
    for kind, word in (("fail", "FAILED"), ("skip", "skipped")):
        for _, name, reason in (r for r in results if r[0] == kind):
            print("%s: %s%s" % (word, name, " (%s)" % reason if reason else ""))
    print("%(pass)d passed, %(fail)d failed, %(skip)d skipped" % count)
    return 1 if count["fail"] or not count["pass"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
