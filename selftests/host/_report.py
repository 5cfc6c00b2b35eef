# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes documents for the tests of hpctl report, and holds its forms against them."""
import csv
import html.parser
import json
import re
import sys

# What would break out of each form if it were not escaped.
NASTY = "a,\"b\"|<script>alert('x')</script>&amp;`id`$(id)"


def row(workload, backing, op_ns, nr=5, **more):
    samples = [int(op_ns * 1000 * (1 + 0.01 * i)) for i in range(nr)]
    median = sorted(samples)[nr // 2]
    r = {
        "workload": workload, "pass": None, "label": workload, "backing": backing,
        "page_bytes_asked": 4096, "leaf": {"pte": 1 << 26, "pmd": 0, "pud": 0, "none": 0},
        "bytes_asked": 1 << 26, "bytes": 1 << 26, "elements": 13421772, "threads": 1,
        "stages": [{"name": n, "ns": int(v)} for n, v in
                   (("map", 1000), ("populate", 5e6), ("timed", median), ("unmap", 2e5))],
        "samples_ns": samples, "ops": 1000, "op_ns": median / 1000,
        "ops_per_s": {"median": 1e12 / median, "p10": 1.0, "p90": 2.0},
        "median_ns": median, "p10_ns": samples[0], "p90_ns": samples[-1], "mad_ns": 10,
        "ready_ns": 6000000, "ci95_ns": [samples[0], samples[-1]], "ratio": None, "walk": None,
        "perf": None, "perf_why": "absent: no PMU", "verified": True, "verified_by": "smaps",
        "checksum": "0x1", "flags": [], "note": None, "partial": False,
    }
    r.update(more)
    return r


def document(rows, **env):
    e = {"tool": "0.1.0", "module": None, "uapi": 1, "host": "one", "kernel": "6.1", "cpu": "X",
         "cpus": 2, "vm": False, "governor": None, "nodes": [],
         "thp": {"enabled": None, "defrag": None, "sizes": {}}, "cmdline": None,
         "argv": ["hpctl", "compare"], "seed": 1, "time": "2026-01-01T00:00:00Z"}
    e.update(env)
    return {"schema": "hpctl/1", "command": "compare", "env": e, "results": rows, "warnings": [],
            "error": None}


def ratio(value, low, high, verdict):
    return {"to": "anon-4k", "value": value, "ci95": [low, high], "verdict": verdict}


def samples():
    """name -> document: all that the tests read."""
    plain = [row("get", "anon-4k", 100.0),
             row("get", "anon-thp", 54.4, ratio=ratio(1.837, 1.8, 1.91, "faster")),
             row("get", "hugetlb-2m", 99.9, ratio=ratio(1.001, 0.9, 1.1, "no difference shown")),
             row("chase", "anon-4k", 150.0, partial=True, nr=2, ci95_ns=None),
             row("chase", "anon-thp", 70.0, verified=False, flags=["page-size"],
                 note="page-size"),
             row("chase", "hugetlb-2m", 60.0, flags=["spread", "busy"], note="spread",
                 ratio=ratio(2.5, 2.2, 2.9, "faster"))]
    nasty = [row("get", "hugetlbfs:/" + NASTY, 10.0, label=NASTY),
             row("get", "new\nline\x1b[2J", 10.0)]
    sweep = [row("chase", b, 10.0 + f * i, bytes=(1 << 26) << i, bytes_asked=(1 << 26) << i)
             for b, f in (("anon-4k", 20), ("hugetlb-2m", 3)) for i in range(6)]
    reach = {"caches": [{"level": 1, "bytes": 32768}, {"level": 3, "bytes": 1 << 28}],
             "tlbs": [{"page_bytes": 4096, "entries": 2048},
                      {"page_bytes": 2 << 20, "entries": 256}],
             "tlb_from": "CPUID", "tlb_why": None,
             "tables": [{"page_bytes": 4096, "level": 2, "bytes": 1 << 29}]}
    faster = [row("get", "anon-4k", 50.0), row("get", "anon-thp", 54.4)]
    return {"plain": document(plain), "nasty": document(nasty, host=NASTY, cpu=NASTY),
            "sweep": document(sweep, reach=reach), "faster": document(faster, host="two"),
            "failed": dict(document([]), error={"code": 3, "errno": "ENOMEM",
                                                "message": "no memory", "hint": None})}


def broken():
    """name -> text of a file that is refused."""
    good = document([row("get", "anon-4k", 100.0)])

    def changed(path, value):
        d = json.loads(json.dumps(good))
        o = d
        for k in path[:-1]:
            o = o[k]
        if value is None:
            del o[path[-1]]
        else:
            o[path[-1]] = value
        return json.dumps(d)

    r = ("results", 0)
    yield "empty", ""
    yield "blank", " \n"
    yield "text", "WORKLOAD BACKING\nget anon-4k\n"
    yield "list", "[]"
    yield "number", "1"
    yield "other", '{"schema": "fio/3", "jobs": []}'
    yield "none", "{}"
    yield "twice", '{"schema": "hpctl/1", "schema": "hpctl/1"}'
    yield "two", json.dumps(good) + json.dumps(good)
    yield "deep", "[" * 100000 + "]" * 100000
    yield "deep-in-it", json.dumps(good)[:-1] + ', "x": ' + "[" * 5000 + "]" * 5000 + "}"
    yield "nul", json.dumps(good).replace("anon-4k", "anon\\u0000")
    yield "latin1", json.dumps(good).replace("anon-4k", "\udcff")
    yield "huge-number", json.dumps(good).replace('"ops": 1000', '"ops": 1' + "0" * 40)
    yield "huge-real", json.dumps(good).replace('"ops": 1000', '"ops": 1e999')
    yield "newer", changed(("schema",), "hpctl/2")
    yield "listing", changed(("command",), "list")
    for name, path, value in (
            ("no-rows", ("results",), None), ("rows-object", ("results",), {}),
            ("row-number", r, 7), ("no-backing", r + ("backing",), None),
            ("no-workload", r + ("workload",), None), ("bytes-text", r + ("bytes",), "64M"),
            ("bytes-negative", r + ("bytes",), -1), ("bytes-real", r + ("bytes",), 1.5),
            ("op-text", r + ("op_ns",), "fast"), ("samples-text", r + ("samples_ns",), ["x"]),
            ("samples-many", r + ("samples_ns",), [1] * 10001),
            ("samples-negative", r + ("samples_ns",), [-5]), ("flags-text", r + ("flags",), "x"),
            ("flags-number", r + ("flags",), [1]), ("stages-number", r + ("stages",), [1]),
            ("stage-nameless", r + ("stages",), [{"ns": 1}]), ("ci-three", r + ("ci95_ns",), [1, 2, 3]),
            ("ratio-text", r + ("ratio",), "2x"), ("leaf-text", r + ("leaf", "pmd"), "all"),
            ("verified-text", r + ("verified",), "yes"), ("env-list", ("env",), []),
            ("no-env", ("env",), None), ("cpu-number", ("env", "cpu"), 5),
            ("warnings-text", ("warnings",), ["x"]), ("error-text", ("error",), "x"),
            ("rows-many", ("results",), [{"workload": "get", "backing": "b"}] * 5001)):
        yield name, changed(path, value)


def mark_of(r):
    """As the reader of a report is told."""
    words = []
    if r["verified"] is not True:
        words.append("not verified")
    elif r["flags"]:
        words.append("untrusted")
    if r["flags"]:
        words[-1] += " (" + ", ".join(r["flags"]) + ")"
    if r["partial"]:
        words.append("partial")
    return ", ".join(words)


def clean(text):
    return re.sub("[\x00-\x1f\x7f]", "?", text)


def check_csv(path, docs):
    rows = list(csv.DictReader(open(path, newline="", encoding="utf-8"), strict=True))
    want = [(f, r) for f, d in docs for r in d["results"]]
    assert len(rows) == len(want), "%d rows, not %d" % (len(rows), len(want))
    for f, r in want:
        mine = [c for c in rows if c["file"] == f and c["label"] == clean(r["label"]) and
                c["backing"] == clean(r["backing"]) and c["bytes"] == str(r["bytes"])]
        assert len(mine) == 1, (f, r["label"], r["backing"], len(mine))
        c = mine[0]
        for key in ("bytes_asked", "threads", "ops", "median_ns", "p10_ns", "mad_ns", "elements"):
            assert c[key] == str(r[key]), (key, c[key], r[key])
        assert abs(float(c["op_ns"]) - r["op_ns"]) < 1e-9 * r["op_ns"], c["op_ns"]
        assert c["samples_ns"] == " ".join(map(str, r["samples_ns"]))
        assert c["mark"] == mark_of(r), (c["mark"], mark_of(r))
        assert c["verified"] == str(r["verified"]).lower()
        assert c["partial"] == str(r["partial"]).lower()
        if r["ratio"]:
            assert float(c["ratio"]) == r["ratio"]["value"]
            assert [float(c["ratio_low"]), float(c["ratio_high"])] == r["ratio"]["ci95"]
        else:
            assert c["ratio"] == ""
        if r["ci95_ns"] is None:
            assert c["ci95_low_ns"] == "", "an unknown interval is not empty"


def check_markdown(path, docs):
    text = open(path, encoding="utf-8").read()
    lines = [re.split(r"(?<!\\)\|", l)[1:-1] for l in text.splitlines() if l.startswith("|")]
    assert len(lines) == 2 + sum(len(d["results"]) for _, d in docs), len(lines)
    assert len({len(l) for l in lines}) == 1, "rows have different numbers of cells"
    marks = sorted(l[-1].strip().replace("\\", "") for l in lines[2:])
    want = sorted(mark_of(r) or "n/a" for _, d in docs for r in d["results"])
    assert marks == want, (marks, want)
    assert not re.search(r"(?<!\\)<", text), "HTML in it"


class Page(html.parser.HTMLParser):
    """Cells of the table, texts of the plots; refuses what refers elsewhere."""

    void = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.rows, self.cell, self.svg, self.nr_svg = [], [], None, [], 0
        self.figures = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.void:
            self.open.append(tag)
        assert tag not in ("script", "link", "img", "iframe", "object", "embed", "image"), tag
        for key, value in attrs:
            assert not key.startswith("on") and key not in ("src", "srcset", "action"), key
            if key in ("href", "xlink:href"):
                assert value.startswith("#"), value
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.cell = ""
        elif tag == "svg":
            self.nr_svg += 1
        elif tag == "h3":
            self.figures.append("")

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, "%s closes %s" % (tag, self.open[-1:])
        self.open.pop()
        if tag in ("td", "th"):
            self.rows[-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data
        if self.open and self.open[-1] == "h3":
            self.figures[-1] += data
        if "svg" in self.open:
            self.svg.append(data.strip())


def human(ns):
    for unit in ("ns", "us", "ms", "s"):
        if ns < 999.5:
            break
        ns /= 1000
    return "%.*f %s" % (2 if ns < 9.995 else 1 if ns < 99.95 else 0, ns, unit)


def check_html(path, docs):
    text = open(path, encoding="utf-8").read()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, "not closed: %s" % page.open
    for bad in ("http:", "https:", "//", "url(", "@import", "javascript:"):
        # a path in a file's text is no reference
        assert bad not in text.replace(NASTY, "").replace(
            "content=\"default-src", ""), bad
    ids = re.findall(r"\bid=[\"']([^\"']*)", text)
    assert len(ids) == len(set(ids)), "an id is there twice"
    head, rows = page.rows[0], page.rows[1:]
    want = [(f, r) for f, d in docs for r in d["results"]]
    assert len(rows) == len(want), (len(rows), len(want))
    col = {name: i for i, name in enumerate(head)}
    for f, r in want:
        mine = [c for c in rows if c[col["WORKLOAD"]] == clean(r["label"]) and
                c[col["BACKING"]] == clean(r["backing"]) and
                ("FILE" not in col or c[col["FILE"]] == f) and c[col["OP"]] == human(r["op_ns"])]
        assert len(mine) >= 1, (r["label"], r["backing"], human(r["op_ns"]))
        assert any(c[col["MARK"]] == mark_of(r) for c in mine), (mine, mark_of(r))
        if "RATIO" in col:
            shown = "%.2fx" % r["ratio"]["value"] if r["ratio"] else "n/a"
            assert mine[0][col["RATIO"]] == shown, (mine[0], shown)
            assert not r["ratio"] or shown in page.svg, "no %s in the plots" % shown
    return page


def main():
    what, where = sys.argv[1:3]
    docs = samples()
    if what == "make":
        for name, d in docs.items():
            json.dump(d, open("%s/%s.json" % (where, name), "w", encoding="utf-8"))
        for name, text in broken():
            with open("%s/broken-%s.json" % (where, name), "w", encoding="utf-8",
                      errors="surrogateescape") as f:
                f.write(text)
    else:
        names = sys.argv[3:]
        got = {"csv": check_csv, "markdown": check_markdown, "html": check_html}[what](
            where, [(n, docs[n]) for n in names])
        if what == "html" and names == ["plain"]:
            assert got.nr_svg == 4, "%d plots" % got.nr_svg
        if what == "html" and names == ["sweep"]:
            assert got.nr_svg == 1, "%d plots" % got.nr_svg
            for mark in ("L3 cache", "TLB, 2M pages", "4K tables fill L2", "64 MiB", "2 GiB"):
                assert mark in got.svg, "no %s in the plot" % mark
            for mark in ("L1 cache", "TLB, 4K pages"):
                assert mark not in got.svg, "%s is outside of the plot" % mark


main()
