--- The picker made of `vim.ui.input` and `vim.ui.select`, and so of whatever has taken their places.
local M = {}

local client = require('signal_grep.client')
local config = require('signal_grep.config')
local words = require('signal_grep.words')

---@param typed string
local function search(typed)
  local request, problem = require('signal_grep.arguments').parse(typed)
  if not request or not request.params.pattern then
    return words.say(problem or words.text('pattern_is_missing'), vim.log.levels.ERROR)
  end
  local asked = { mode = 'matches', view = 'items', limit = config.get().limit, keep = false }
  client.execute('sg.search', vim.tbl_extend('force', asked, request.params), function(failure, result, used)
    if failure then
      return words.fail(failure)
    elseif result.mode == 'empty' then
      return words.say(words.nothing(request.params.pattern, result), vim.log.levels.WARN)
    end
    vim.ui.select(result.matches, {
      prompt = words.title(request.params.pattern, result, #result.matches),
      kind = 'signal_grep',
      format_item = function(match)
        return ('%s:%d:%s'):format(match.path, match.line, match.text)
      end,
    }, function(match)
      if match then
        vim.lsp.util.show_document(match.location, used.offset_encoding, { focus = true })
      end
    end)
  end)
end

--- Ask for flags and a pattern, then for one of the matches, and go there.
---@param typed string what the question begins with
function M.open(typed)
  vim.ui.input({ prompt = words.text('question'), default = typed }, function(answer)
    if answer and answer ~= '' then
      search(answer)
    end
  end)
end

return M
