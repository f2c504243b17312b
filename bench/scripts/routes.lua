-- Lua: the shortest ways through a network of places, each an object with a list of its roads.
local count, seed = tonumber(arg[1]), tonumber(arg[2])
local state = seed
local function draw(limit)
  state = state * 16807 % 2147483647
  return state % limit + 1
end

local places = {}
for number = 1, count do
  places[number] = { name = "place " .. number, roads = {} }
end
local function pave(from, to, length)
  from.roads[#from.roads + 1] = { to = to, length = length }
end
for number = 1, count do
  for _ = 1, 2 do
    local other, length = places[draw(count)], draw(100)
    pave(places[number], other, length)
    pave(other, places[number], length)
  end
end

-- A binary heap of objects, the nearest first.
local queue = {}
local function push(entry)
  local at = #queue + 1
  while at > 1 and queue[at // 2].distance > entry.distance do
    queue[at] = queue[at // 2]
    at = at // 2
  end
  queue[at] = entry
end
local function pop()
  local first, last = queue[1], table.remove(queue)
  local at, length = 1, #queue
  while length > 0 do
    local child = 2 * at
    if child > length then break end
    if child < length and queue[child + 1].distance < queue[child].distance then child = child + 1 end
    if queue[child].distance >= last.distance then break end
    queue[at] = queue[child]
    at = child
  end
  if length > 0 then queue[at] = last end
  return first
end

local total = 0
for _ = 1, 2 do
  local reached = {}
  push({ place = places[draw(count)], distance = 0 })
  while #queue > 0 do
    local entry = pop()
    if not reached[entry.place] then
      reached[entry.place] = entry.distance
      total = total + entry.distance + #entry.place.name
      for _, road in ipairs(entry.place.roads) do
        if not reached[road.to] then
          push({ place = road.to, distance = entry.distance + road.length })
        end
      end
    end
  end
end
print(total)
