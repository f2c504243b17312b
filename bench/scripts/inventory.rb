# Ruby: records in hashes and arrays, indexed by words, half of them dropped, twice.
count = Integer(ARGV[0])
state = 12345
draw = ->(limit) { state = (state * 1_103_515_245 + 12_345) & 0x7fffffff; (state >> 8) % limit }
total = 0
2.times do
  index = Hash.new { |hash, key| hash[key] = [] }
  records = Array.new(count) do |number|
    words = Array.new(4) { "word-of-some-length-#{draw.call(2000)}" }
    { id: number, name: "record number #{number} of the inventory", words: words }
  end
  records.each { |record| record[:words].each { |word| index[word] << record } }
  records.select! { |record| record[:id].odd? }
  total += index.values.sum { |group| group.sum { |record| record[:name].length } }
  total += records.map { |record| record[:words].join(" ").upcase }.uniq.length
end
puts total
