# Tables, strings, closures and coroutines; Lua calls realloc for everything.
# needs: lua5.4 lua5.4
cat > work.lua <<'LUA'
local state = 42
local function rnd(n) state = (state * 1103515245 + 12345) % 2147483648; return state % n end
local all = {}
for i = 1, 200000 do all[i] = { id = i, name = "n" .. rnd(5000), links = { rnd(i) + 1, rnd(i) + 1 } } end
local sum = 0
for i = 1, #all do for _, l in ipairs(all[i].links) do sum = (sum + all[l].id) % 1000003 end end
print(#all, sum)
for i = 1, #all, 2 do all[i] = nil end
collectgarbage()
local parts = {}
for i = 1, 100000 do parts[#parts + 1] = ("%d:%s"):format(i, ("x"):rep(rnd(20))) end
local text = table.concat(parts, ",")
print(#text, select(2, text:gsub("x+", "y")), text:find("99999:", 1, true))
table.sort(parts); print(parts[1], parts[#parts])
local made = {}
for i = 1, 20000 do made[i] = coroutine.wrap(function() local n = i; while true do n = n + coroutine.yield(n) end end); made[i]() end
local total = 0
for i = 1, #made do total = total + made[i](i) end
print(total)
local s = ""
for i = 1, 20000 do s = s .. "z" end
print(#s)
local grown = {}
for i = 1, 2000000 do grown[i] = i end
print(#grown, collectgarbage("count") > 0)
LUA
lua5.4 work.lua
lua5.4 -e 'collectgarbage("generational") dofile("work.lua")'
