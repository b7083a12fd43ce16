-- Ask for the addresses of a file in turn, again from the first after the last; each thread has
-- its own share of them.  At the end, what came of it as one line of JSON.

local threads = 0

function setup(thread)
  thread:set("place", threads)
  threads = threads + 1
end

-- The arguments are the file and the number of threads.
function init(arguments)
  requests, stride = {}, tonumber(arguments[2])
  for path in io.lines(arguments[1]) do
    table.insert(requests, wrk.format("GET", path))
  end
end

-- Where there are fewer addresses than threads, some have the same: a thread without any would
-- open its connections and never say a word.
function request()
  local asked = requests[place % #requests + 1]
  place = (place + stride) % #requests
  return asked
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
