-- Strings and closures, most of which die at once: words are built, joined, searched and counted,
-- and every line is worked on by a chain of freshly made functions. The garbage collector frees in
-- an order of its own.
--
-- usage: lua closures.lua [lines]

local lines = tonumber(arg[1] or 60000)

local state = 7
local function random(limit)
  state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
  return (state >> 24) % limit + 1
end

local syllables = { "ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pra", "stre" }

local function word()
  local parts = {}
  for i = 1, random(4) do
    parts[i] = syllables[random(#syllables)]
  end
  return table.concat(parts)
end

local function line()
  local words = {}
  for i = 1, 6 + random(10) do
    words[i] = word()
  end
  return table.concat(words, " ")
end

local function chain(...)
  local steps = { ... }
  return function(value)
    for _, step in ipairs(steps) do
      value = step(value)
    end
    return value
  end
end

local function replacing(from, to)
  return function(text)
    return (text:gsub(from, to))
  end
end

local function counting(counts)
  return function(text)
    for found in text:gmatch("%a+") do
      counts[found] = (counts[found] or 0) + 1
    end
    return text
  end
end

local counts, length = {}, 0
for _ = 1, lines do
  local work = chain(
    replacing(syllables[random(#syllables)], syllables[random(#syllables)]),
    string.upper,
    counting(counts)
  )
  length = length + #work(line())
end

local names = {}
for name in pairs(counts) do
  names[#names + 1] = name
end
table.sort(names, function(a, b)
  return counts[a] > counts[b] or (counts[a] == counts[b] and a < b)
end)

print(lines, length, #names)
for i = 1, math.min(5, #names) do
  print(names[i], counts[names[i]])
end
