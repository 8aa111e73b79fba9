-- Evaluations of AmdahlScenario for wrk: the argument "same" sends one body, "differing" another in every request.
local body = '{"stages": {"preprocess": {"value": 60.0, "unit": "ms"}, "model": {"value": 45.0, "unit": "ms"}, ' ..
  '"postprocess": {"value": 25.0, "unit": "ms"}}, "stage": "model", "speedup": %.6f}'
local step, count = 0, 0

function init(args)
  if args[1] == "differing" then step = 1e-5 end
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  count = count + step
  return wrk.format("POST", nil, nil, body:format(10 + count))
end

function done(summary)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format("%d %d %d\n", summary.requests, summary.duration, failed))
end
