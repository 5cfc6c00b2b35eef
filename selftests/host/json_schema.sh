#!/bin/bash
# json_schema.sh - what every command prints with -j, also when it fails, is one
# document that the schema in user/schema describes, and nothing beside it.
set -u
# shellcheck source=_hpctl.sh
. "$(dirname "$0")/_hpctl.sh"

python=${HPBUF_PYTHON:-/usr/bin/python3}
schema=$top/user/schema/hpctl-1.schema.json
if ! "$python" -c 'import jsonschema' 2>/dev/null; then
	echo "1..0 # SKIP needs jsonschema for $python: python3-jsonschema"
	exit 4
fi

cat >"$tmp/check.py" <<'P'
import json
import sys

import jsonschema

# A key twice would hide one of the values from every reader.
def pairs(items):
    keys = [k for k, _ in items]
    if len(keys) != len(set(keys)):
        sys.exit("a key is there twice: %s" % keys)
    return dict(items)

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
doc = json.load(open(sys.argv[2]), object_pairs_hook=pairs)
errors = list(jsonschema.Draft202012Validator(schema).iter_errors(doc))
for e in errors[:3]:
    print("/".join(map(str, e.absolute_path)) + ": " + e.message[:200])
code = doc["error"]["code"] if doc["error"] else 0
if code != int(sys.argv[3]):
    sys.exit("exit code %s, the document says %d" % (sys.argv[3], code))
if list(doc) != ["schema", "command", "env", "results", "warnings", "error"]:
    sys.exit("the keys are in another order")
sys.exit(bool(errors))
P

# conforms ARG...
conforms()
{
	local rc why

	timeout 120 "$hpctl" "$@" -j >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	why=$("$python" "$tmp/check.py" "$schema" "$tmp/out" $rc 2>&1)
	# shellcheck disable=SC2181
	if [ $? = 0 ]; then
		result OK "${*:-without a command} (exit $rc)"
	else
		result FAIL "${*:-without a command} (exit $rc)" "$(echo "$why" | tr '\n' '|')"
	fi
}

conforms
conforms version
conforms list
conforms show 1
conforms show nobody
conforms free 1 2
conforms free --all --dry-run
conforms alloc
conforms alloc -s 5M -p 2M --dry-run
conforms alloc -s 0 -p 2M
conforms nonsense
conforms --nonsense
conforms list $'\xff\xfe\033[2J'
conforms help nonsense
conforms doctor
conforms doctor --root /nowhere
conforms pool
conforms pool set -p 2M --count 0 --dry-run
conforms pool set --nonsense
conforms pool restore /nowhere
conforms reclaim
conforms reclaim off
conforms reclaim on --nonsense
conforms monitor
conforms run touch -s 8M
conforms run get --sweep 4M..8M -r 1 --ops 20000
conforms run get --sweep 4M..8M --dry-run
conforms run get --sweep 8M..4M
conforms run churn sparse -s 8M -r 1
conforms run rand-fill get-batch hash index scan -s 8M -r 1
conforms run nonsense
"$hpctl" compare touch -b anon-4k,anon-thp -s 8M -r 2 -q -o "$tmp/compare.json" >/dev/null 2>&1
"$hpctl" walk -b anon-4k -s 8M -q -o "$tmp/walk.json" >/dev/null 2>&1
conforms report "$tmp/compare.json" "$tmp/walk.json" "$tmp/compare.json"
conforms report
conforms report "$tmp/nosuch.json"
conforms walk -s 64M --samples 1000
conforms walk -s 64M --dry-run
conforms walk --samples 65537
conforms compare touch -b anon-4k,anon-thp -s 8M -r 2

# No terminal takes a part of it for a command.
"$hpctl" list $'caf\xc3\xa9' -j >"$tmp/out" 2>/dev/null
if grep -q 'caf\\u00E9' "$tmp/out" && ! LC_ALL=C grep -q '[^ -~]' "$tmp/out"; then
	result OK "all of it is ASCII"
else
	result FAIL "all of it is ASCII" "$(grep -a caf "$tmp/out" | head -n 1)"
fi

# The saved file is the same document.
"$hpctl" version -j -o "$tmp/saved" >"$tmp/out"
if cmp -s "$tmp/saved" "$tmp/out"; then
	result OK "-o saves what -j prints"
else
	result FAIL "-o saves what -j prints" "they differ"
fi

finish
