# Ruby: records in a search tree balanced by chance, looked up by keys of any order, then in order.
count, state = Integer(ARGV[0]), Integer(ARGV[1])
draw = -> { state = state * 16_807 % 2_147_483_647 }
Node = Struct.new(:key, :record, :priority, :left, :right)

def insert(node, added)
  return added if node.nil?
  if added.key < node.key
    node.left = insert(node.left, added)
    return node if node.left.priority <= node.priority
    child, node.left = node.left, node.left.right
    child.right = node
  else
    node.right = insert(node.right, added)
    return node if node.right.priority <= node.priority
    child, node.right = node.right, node.right.left
    child.left = node
  end
  child
end

root = nil
keys = Array.new(count) do |number|
  key = draw.call
  root = insert(root, Node.new(key, { name: "record number #{number} of the tree" }, draw.call))
  key
end
found = (2 * count).times.sum do
  key, node = keys[draw.call % count], root
  node = key < node.key ? node.left : node.right until node.key == key
  node.record[:name].length
end
walk = ->(node) { node ? walk.(node.left) + node.record[:name].length + walk.(node.right) : 0 }
puts found, walk.(root)
