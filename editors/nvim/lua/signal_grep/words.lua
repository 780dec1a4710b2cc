--- What people are told: titles of lists, one-line results, failures.
local M = {}

local REASONS = {
  ['retention-limit'] = 'too much matched to keep it all',
  ['unreadable-path'] = 'some paths could not be read',
  ['oversized-line'] = 'some lines are too long to be shown',
  ['binary-file'] = 'some files are binary from some point on',
}

local PREFIX = 'Signal Grep: '

---@param number integer
function M.grouped(number)
  local text = tostring(number):reverse():gsub('(%d%d%d)', '%1,'):reverse()
  return (text:gsub('^,', ''))
end

---@param number integer
---@param one string
---@param many string
local function count(number, one, many)
  return ('%s %s'):format(M.grouped(number), number == 1 and one or many)
end

--- A pattern on one line, and not longer than people read.
---@param pattern string
function M.pattern(pattern)
  local line = pattern:gsub('\n', '↵')
  return vim.fn.strchars(line) > 60 and vim.fn.strcharpart(line, 0, 59) .. '…' or line
end

---@param totals {matches: integer, files: integer}
---@param shown integer? rows in the list, where that may be fewer
function M.totals(totals, shown)
  local matches = count(totals.matches, 'match', 'matches')
  if shown and shown < totals.matches then
    matches = ('%s of %s'):format(M.grouped(shown), matches)
  end
  return ('%s in %s'):format(matches, count(totals.files, 'file', 'files'))
end

---@param result table of `sg.search`
---@return string? nil when the result is everything
function M.partial(result)
  if result.status == 'partial' then
    local reasons = vim.tbl_map(function(reason)
      return REASONS[reason] or reason
    end, result.partialReasons)
    return 'partial: ' .. table.concat(reasons, ', ')
  end
end

--- What a list is called: the pattern, exact counts, and whether that is everything.
---@param pattern string
---@param result table
---@param shown integer
function M.title(pattern, result, shown)
  local parts = { PREFIX .. M.pattern(pattern), M.totals(result.totals, shown), M.partial(result) }
  return table.concat(parts, ' · ')
end

--- What an empty search says, with what the rules kept out of it.
---@param pattern string
---@param result table
function M.nothing(pattern, result)
  local searched = count(result.totals.filesSearched, 'file', 'files')
  local parts = { ('nothing matches %s in %s'):format(M.pattern(pattern), searched), M.partial(result) }
  local kept_out = result.keptOut
  if kept_out and kept_out.matching[1] then
    local paths = vim.tbl_map(function(file)
      return file.path
    end, vim.list_slice(kept_out.matching, 1, 3))
    local more = #kept_out.matching > 3 and ', …' or ''
    parts[#parts + 1] = 'ignored, hidden or binary files do: ' .. table.concat(paths, ', ') .. more
  end
  return table.concat(parts, ' · ')
end

---@param message string
---@param level integer? of `vim.log.levels`
function M.say(message, level)
  vim.notify(PREFIX .. message, level or vim.log.levels.INFO)
end

---@param failure signal_grep.Failure
---@return string
function M.failure(failure)
  local hint = failure.data and failure.data.hint
  return hint and ('%s. %s'):format(failure.message, hint) or failure.message
end

--- Tell a failure; a cancelled request is none.
---@param failure signal_grep.Failure
function M.fail(failure)
  local is_cancelled = require('signal_grep.client').is_cancelled(failure)
  M.say(M.failure(failure), is_cancelled and vim.log.levels.INFO or vim.log.levels.ERROR)
end

return M
