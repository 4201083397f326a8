-- A script for wrk that plays a shop's customers. Each presses "pay" for all of 150 orders in turn, repeatedly.
local threads = {}

function setup(thread)
    thread:set("pressed", #threads * 75)
    table.insert(threads, thread)
end

function init()
    answered, failed, errors, pids, known = 0, 0, 0, "", {}
end

function request()
    pressed = pressed + 1
    return wrk.format("POST", "/pay/order-" .. (pressed % 150 + 1), { ["Content-Length"] = "0" })
end

function response(status, _, body)
    if status == 200 then answered = answered + 1 else failed = failed + 1 end
    if body:find('"class"', 1, true) then errors = errors + 1 end
    local pid = body:match('"pid":(%d+)')
    if pid and not known[pid] then
        known[pid] = true
        pids = pids .. " " .. pid
    end
end

function done(_, latency)
    for _, thread in ipairs(threads) do
        print("answered", thread:get("answered"), "failed", thread:get("failed"), "errors", thread:get("errors"), "pids" .. thread:get("pids"))
    end
    print(string.format("latency: median %.0f ms, 99 %% %.0f ms", latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
