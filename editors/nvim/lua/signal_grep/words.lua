--- What people are told, in their language: titles of lists, one-line results, failures.
local M = {}

local LANGUAGES = { en = 'signal_grep.languages.en', ['zh-CN'] = 'signal_grep.languages.zh_CN' }
local SEPARATOR = ' · '

---@type table<string, string|table<string, string>>?
local language

--- Speak the language of `locale` from now on, as the server has it.
---@param locale string?
function M.speak(locale)
  language = require(LANGUAGES[locale] or LANGUAGES.en)
end

local function spoken()
  if not language then
    M.speak(require('signal_grep.userfile').read().locale)
  end
  return assert(language)
end

--- A text of the catalogue, with values in the places that it names.
---@param name string
---@param values? table<string, string|integer>
---@return string
function M.text(name, values)
  return (spoken()[name]:gsub('{(%w+)}', values or {}))
end

--- What one of the server's own words means; the word itself where that is not known.
---@param group string of the catalogue
---@param word string
---@return string
function M.meaning(group, word)
  return spoken()[group][word] or word
end

---@param number integer
function M.grouped(number)
  local digits = tostring(math.abs(number)):reverse():gsub('(%d%d%d)', '%1,'):reverse()
  return (number < 0 and '-' or '') .. digits:gsub('^,', '')
end

--- A number with what it counts.
---@param noun 'match'|'file'|'search'|'stored'
---@param number integer
function M.count(noun, number)
  return M.text(noun .. (number == 1 and '_one' or '_many'), { count = M.grouped(number) })
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
  local values = { matches = M.count('match', totals.matches), files = M.count('file', totals.files) }
  if shown and shown < totals.matches then
    values.shown = M.grouped(shown)
    return M.text('totals_shown', values)
  end
  return M.text('totals', values)
end

---@param result table of `sg.search`
---@return string? nil when the result is everything
function M.partial(result)
  if result.status == 'partial' then
    local reasons = vim.tbl_map(function(reason)
      return M.meaning('reasons', reason)
    end, result.partialReasons)
    return M.text('partial', { reasons = table.concat(reasons, M.text('between_reasons')) })
  end
end

--- Exact counts, and whether that is everything.
---@param result table
---@param shown integer?
function M.summary(result, shown)
  return table.concat({ M.totals(result.totals, shown), M.partial(result) }, SEPARATOR)
end

---@param text string
local function said(text)
  return M.text('said', { text = text })
end

--- What a list is called: the pattern, exact counts, and whether that is everything.
---@param pattern string
---@param result table
---@param shown integer
function M.title(pattern, result, shown)
  return said(M.pattern(pattern) .. SEPARATOR .. M.summary(result, shown))
end

--- What a list of matches in stored text is called.
---@param pattern string
---@param shown integer
---@param has_more boolean
function M.stored(pattern, shown, has_more)
  local matches = M.count('stored', shown)
  local parts = { M.pattern(pattern), matches, has_more and M.text('stored_more') or nil }
  return said(table.concat(parts, SEPARATOR))
end

--- What an empty search says, with what the rules kept out of it.
---@param pattern string
---@param result table
function M.nothing(pattern, result)
  local files = M.count('file', result.totals.filesSearched)
  local parts = { M.text('nothing', { pattern = M.pattern(pattern), files = files }), M.partial(result) }
  local kept_out = result.keptOut
  if kept_out and kept_out.matching[1] then
    local paths = vim.tbl_map(function(file)
      return file.path
    end, vim.list_slice(kept_out.matching, 1, 3))
    paths[#paths + 1] = #kept_out.matching > 3 and M.text('more_names') or nil
    parts[#parts + 1] = M.text('kept_out', { paths = table.concat(paths, M.text('between_names')) })
  end
  return table.concat(parts, SEPARATOR)
end

---@param message string
---@param level integer? of `vim.log.levels`
function M.say(message, level)
  vim.notify(said(message), level or vim.log.levels.INFO)
end

--- Say something that is no news any more when the next thing is said.
---@param message string
function M.whisper(message)
  vim.api.nvim_echo({ { said(message) } }, false, {})
end

--- Tell how much was found, and whether that is everything.
---@param result table
---@param shown integer rows in the list
function M.tell(result, shown)
  M.say(M.summary(result, shown), result.status == 'partial' and vim.log.levels.WARN or nil)
end

--- What went wrong, and what to do about it.
---@param failure signal_grep.Failure
---@return string message
---@return string? hint
function M.parts_of(failure)
  local data = failure.data or {}
  -- There where people are spoken to in another language than models.
  local localized = data.localized or { message = failure.message, hint = data.hint }
  return localized.message, localized.hint
end

---@param failure signal_grep.Failure
---@return string
function M.failure(failure)
  local message, hint = M.parts_of(failure)
  return hint and M.text('with_hint', { message = message, hint = hint }) or message
end

--- Tell a failure; a cancelled request is none.
---@param failure signal_grep.Failure
function M.fail(failure)
  local is_cancelled = require('signal_grep.client').is_cancelled(failure)
  M.say(M.failure(failure), is_cancelled and vim.log.levels.INFO or vim.log.levels.ERROR)
end

return M
