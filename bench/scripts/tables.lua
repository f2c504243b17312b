-- Many small tables, built once and walked several times: records of three named fields, one of
-- them a string of their own. What is born together is used together, which is what a heap that
-- parts blocks by size undoes. Walked in order of birth, the prefetchers make up for that; walked in
-- another order, through an index, nothing does.
--
-- usage: lua tables.lua [tables] [walks] [birth|index]

local tables = tonumber(arg[1] or 400000)
local walks = tonumber(arg[2] or 8)
local order = arg[3] or "index"
if order ~= "birth" and order ~= "index" then
  error("tables.lua: the order '" .. order .. "' is not known; give birth or index", 0)
end

-- The same sequence on every machine: math.random's algorithm is the interpreter's affair.
local state = 1
local function random(limit)
  state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
  return (state >> 24) % limit + 1
end

local rows, index = {}, {}
for number = 1, tables do
  rows[number] = { id = number, size = random(1000), name = "r" .. number }
  index[number] = number
end

if order == "index" then
  for number = tables, 2, -1 do
    local other = random(number)
    index[number], index[other] = index[other], index[number]
  end
end

local total, letters = 0, 0
for _ = 1, walks do
  for number = 1, tables do
    local row = rows[index[number]]
    total = total + row.id * row.size
    letters = letters + #row.name
  end
end

print(tables, walks, order, total, letters)
