# Tcl, in the part of it that Jim has: lists of dictionaries built, sorted and joined.
set state 12345
proc draw {limit} {
    global state
    set state [expr {($state * 1103515245 + 12345) & 0x7fffffff}]
    return [expr {($state >> 8) % $limit}]
}
set records {}
for {set i 0} {$i < [lindex $argv 0]} {incr i} {
    set record [dict create id $i name "name [draw 5000]" tags [list a[draw 90] b[draw 90]]]
    lappend records $record
    lappend index([draw 1000]) $record
}
set total 0
foreach key [lsort [array names index]] {
    foreach record $index($key) {incr total [string length [dict get $record name]]}
}
set names {}
foreach record $records {lappend names [dict get $record name][join [dict get $record tags] -]}
puts "$total [llength [lsort -unique $names]]"
