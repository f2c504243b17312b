// JavaScript: a cache of the last used entries, each an object in a list and under its name.
var count = Number(scriptArgs[0]);
var state = Number(scriptArgs[1]);
function draw(limit) {
  state = (state * 16807) % 2147483647;
  return state % limit;
}

var entries = {};
var size = 0;
var ends = { older: null, newer: null };
ends.older = ends.newer = ends;
function unlink(entry) {
  entry.older.newer = entry.newer;
  entry.newer.older = entry.older;
}
function link(entry) {
  entry.older = ends.older;
  entry.newer = ends;
  entry.older.newer = entry;
  ends.older = entry;
}

var hits = 0;
for (var asked = 0; asked < 6 * count; ++asked) {
  var name = "entry " + draw(count + (count >> 1));
  var entry = entries[name];
  if (entry) {
    hits += entry.value.parts[1];
    unlink(entry);
  } else {
    entry = { name: name, value: { title: name + " of the cache", parts: [asked, 1, 2] } };
    entries[name] = entry;
    if (++size > count) {
      var last = ends.newer;
      unlink(last);
      delete entries[last.name];
      --size;
    }
  }
  link(entry);
}
print(hits, size);
