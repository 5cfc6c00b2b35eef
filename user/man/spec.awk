# SPDX-License-Identifier: GPL-2.0-or-later
# spec.awk - operations and attributes of hpbuf.yaml as scdoc, put where the text says
# @OPERATIONS@ and @ATTRIBUTES@. Reads the shape that this file has, not all of YAML.
#
# usage: awk -f spec.awk -v spec=FILE TEXT

function escape(s)
{
	gsub(/[\\*_`]/, "\\\\&", s)
	return s
}

function flush_entry()
{
	if (name != "" && doc != "") {
		sub(/\n+$/, "", doc)
		gsub(/\n/, "\n\t", doc)
		print "*" name "*" (in_set ? " (" set ")" : "") "\n\t" escape(doc) "\n"
	}
	name = doc = ""
}

# The list below the key @section at the left edge, as far as the next key there.
function entries(section,	line, inside, block, indent, key)
{
	in_set = section == "attribute-sets"
	while ((getline line <spec) > 0) {
		if (line ~ /^[a-z]/) {
			flush_entry()
			inside = index(line, section ":") == 1
			continue
		}
		if (!inside)
			continue
		match(line, /^ */)
		indent = RLENGTH
		if (block && (indent > block || line ~ /^ *$/)) {
			sub(/^ +/, "", line)
			doc = doc line "\n"
			continue
		}
		block = 0
		key = line
		sub(/^ *(- )?/, "", key)
		if (line ~ /^ *-$/)
			flush_entry()
		else if (key ~ /^name: /) {
			flush_entry()
			name = substr(key, 7)
			if (in_set && indent <= 4)
				set = name
		} else if (key ~ /^doc: *\|/)
			block = indent
		else if (key ~ /^doc: /)
			doc = substr(key, 6)
	}
	flush_entry()
	close(spec)
}

$0 == "@OPERATIONS@" { entries("operations"); next }
$0 == "@ATTRIBUTES@" { entries("attribute-sets"); next }
{ print }
