# What nvdisasm -c -hex printed, as lines "arch<TAB>address<TAB>word<TAB>text" (make_listing.sh says what they hold).
# Needs -v arch=90.
function nibble(c) { return index("0123456789abcdef", c) - 1 }
function without_control(high) {  # clears bits 57:41 of the high half
  return substr(high, 1, 1) substr("048c", int(nibble(substr(high, 2, 1)) / 4) + 1, 1) "000" \
         (nibble(substr(high, 6, 1)) % 2) substr(high, 7)
}
function flush(   i, text, name, before, after, shown) {
  for (i = 0; i < count; ++i) {
    text = texts[i]
    shown = 0
    sub(/ *\(\*".*"\*\)/, "", text)
    sub(/32@(lo|hi)\(.*\)/, "`(*)", text)
    if (match(text, /`\(.*\)/)) {
      before = substr(text, 1, RSTART - 1)
      name = substr(text, RSTART + 2, RLENGTH - 3)
      after = substr(text, RSTART + RLENGTH)
      if (name in labels) {
        text = before sprintf("0x%x", labels[name]) after
        shown = addresses[i]
      } else {
        text = before "`(*)" after
      }
    }
    print arch "\t" sprintf("0x%x", shown) "\t" words[i] "\t" text
  }
  count = 0
  delete_all()
}
function delete_all(   key) { for (key in labels) delete labels[key]; pending = 0 }
function number(hex,   i, value) {
  value = 0
  for (i = 1; i <= length(hex); ++i) value = value * 16 + nibble(substr(hex, i, 1))
  return value
}
/^\t\.section/ { flush(); next }
/^[^ \t].*:$/ { names[pending++] = substr($0, 1, length($0) - 1); next }
match($0, /^ +\/\*[0-9a-f]+\*\/ /) {
  address = $1
  gsub(/[^0-9a-f]/, "", address)
  address = number(address)
  while (pending > 0) labels[names[--pending]] = address
  line = substr($0, RLENGTH + 1)
  low = substr(line, length(line) - 18, 16)
  line = substr(line, 1, length(line) - 25)
  sub(/ *; *$/, "", line)
  sub(/^ */, "", line)
  next
}
match($0, /^ +\/\* 0x[0-9a-f]+ \*\/$/) {
  high = substr($0, length($0) - 18, 16)
  texts[count] = line
  addresses[count] = address
  words[count++] = without_control(high) low
}
END { flush() }
