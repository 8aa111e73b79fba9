-- wrk: the calls of a file, in turn, each answered with the status it has to have.
-- The request id carries the index of the call and comes back with the answer.
local calls = dofile(os.getenv("CALLS"))
local requests, at = {}, 0
local threads = {}

function setup(thread)
    threads[#threads + 1] = thread
end

function init()
    wrong = 0
    seen = 0
    for index, call in ipairs(calls) do
        call.headers["X-Request-ID"] = tostring(index)
        requests[index] = wrk.format(call.method, call.path, call.headers, call.body)
    end
    at = math.random(#calls)
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function response(status, headers)
    local call = calls[tonumber(headers["X-Request-ID"] or headers["x-request-id"])]
    seen = seen + 1
    if call == nil or call.status ~= status then
        wrong = wrong + 1
    end
end

function done(summary, latency)
    local wrong, seen = 0, 0
    for _, thread in ipairs(threads) do
        wrong = wrong + thread:get("wrong")
        seen = seen + thread:get("seen")
    end
    local errors = summary.errors
    io.write(string.format(
        '\n{"requests": %d, "wrong": %d, "broken": %d, "timeouts": %d, "rate": %.0f, "p50": %.2f, "p99": %.2f, "max": %.2f}\n',
        seen, wrong, errors.connect + errors.read + errors.write, errors.timeout,
        summary.requests / summary.duration * 1e6,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000
    ))
end
