-- Ask for the addresses of a file in turn, again from the first after the last; each thread has
-- its own share.  At the end, what came of it as one line of JSON.

local threads = 0

function setup(thread)
  thread:set("first", threads)
  threads = threads + 1
end

-- The arguments are the file and the number of threads.
function init(arguments)
  local line = 0
  requests, last = {}, 0
  for path in io.lines(arguments[1]) do
    if line % arguments[2] == first then
      table.insert(requests, wrk.format("GET", path))
    end
    line = line + 1
  end
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    '{"requests": %d, "seconds": %f, "bytes": %d, "refused": %d, "broken": %d, "p50": %f, "p99": %f}\n',
    summary.requests, summary.duration / 1e6, summary.bytes, errors.status, broken,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000
  ))
end
