# SPDX-License-Identifier: GPL-2.0-or-later
# header.awk - the functions of libhpbuf.h as scdoc: each declaration in bold, and the
# comment before it below. Put where the text on stdin says @FUNCTIONS@.
#
# usage: awk -f header.awk -v header=FILE TEXT

function escape(s)
{
	gsub(/[\\*_`]/, "\\\\&", s)
	sub(/^-/, "\\-", s)
	return s
}

function flush_function(	n, lines, i)
{
	sub(/^[ \t]+/, "", decl)
	gsub(/[ \t]+/, " ", decl)
	print "*" escape(decl) "*"
	sub(/^hpbuf_[a-z_, ]* - /, "", text)
	n = split(text, lines, "\n")
	for (i = 1; i <= n; i++) {
		if (lines[i] == "" && i < n)
			print "\t"
		else if (lines[i] != "")
			print "\t" escape(lines[i]) (lines[i + 1] ~ /^(@|Returns|-E)/ ? "\n" : "")
	}
	print ""
	decl = ""
}

# Declarations of functions stand at the left edge; a comment belongs to what follows it.
function functions(	line, comment)
{
	while ((getline line <header) > 0) {
		if (line ~ /^\/\*\*/) {
			comment = 1
			text = ""
		}
		if (comment) {
			comment = line !~ /\*\//
			gsub(/^\/?\*+\/? ?|[ \t]*\*\/$/, "", line)
			sub(/^ \*\/? ?/, "", line)
			sub(/^[ \t]+/, "", line)
			if (line !~ /^\//)
				text = text (text == "" ? "" : "\n") line
			continue
		}
		if (decl != "" || line ~ /^(int|void|const char|bool) .*hpbuf_[a-z_]*\(/) {
			decl = decl " " line
			if (line ~ /;$/)
				flush_function()
		} else {
			text = ""
		}
	}
}

$0 == "@FUNCTIONS@" { functions(); next }
{ print }
