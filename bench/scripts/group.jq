# Groups a list of events by place, then says for each how many there were, who took part and which
# words were said most.
group_by(.place) | map({
  place: .[0].place,
  events: length,
  total: (map(.values | add // 0) | add),
  users: (map(.user.name) | unique | length),
  oldest: (max_by([.user.age, .id]) | .user),
  words: (map(.text | split(" ")) | add | group_by(.) | map({word: .[0], count: length})
          | sort_by(-.count, .word) | .[:3])
})
