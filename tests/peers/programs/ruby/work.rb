# Objects, threads, fibers, regular expressions, marshalling, compaction and forks.
require 'digest'
require 'json'
require 'zlib'

srand(7)
random = Random.new(7)
Item = Struct.new(:id, :text, :links)
items = (0...40_000).map { |n| Item.new(n, (97 + n % 26).chr * (n % 120), []) }
items.each { |item| 3.times { item.links << items[random.rand(items.size)].id } }
puts "links #{items.sum { |item| item.links.sum * item.text.size }}"
copy = Marshal.load(Marshal.dump(items))
puts "marshal #{Digest::SHA256.hexdigest(Marshal.dump(copy))}"
puts "json #{Digest::MD5.hexdigest(JSON.generate(items.first(5000).map(&:to_a)))}"
GC.start
GC.compact if GC.respond_to?(:compact)
text = items.map(&:text).join(' ')
puts "scan #{text.scan(/([a-f]+) ([g-z]+)/).size} #{text.gsub(/[aeiou]+/) { |found| found.size.to_s }.size}"
packed = Zlib::Deflate.deflate(text)
puts "zlib #{Zlib::Inflate.inflate(packed) == text}"
threads = (0...8).map do |seed|
  Thread.new do
    own = Random.new(seed)
    Digest::MD5.hexdigest((0...20_000).map { own.rand(1000).to_s(36) * own.rand(9) }.join)
  end
end
puts threads.map(&:value)
fibers = (0...2000).map { |n| Fiber.new { |value| loop { value = Fiber.yield(value + n) } } }
puts "fibers #{fibers.sum { |fiber| fiber.resume(1) } + fibers.sum { |fiber| fiber.resume(2) }}"
puts(Array.new(4) { |n|
  read, write = IO.pipe
  child = fork { read.close; write.puts((0...5000).map { |i| i.to_s * n }.join.sum); exit!(0) }
  write.close
  line = read.read
  Process.wait(child)
  "#{line.strip} #{$?.exitstatus}"
})
puts "big #{(3**20_000).to_s.sum} #{(2**5000 % 10**50)}"
