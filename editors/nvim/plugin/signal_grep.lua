-- The one file that is read at start. Everything else is loaded by the first command.
if vim.g.loaded_signal_grep then
  return
end
vim.g.loaded_signal_grep = true

local command, highlight, map = vim.api.nvim_create_user_command, vim.api.nvim_set_hl, vim.keymap.set

if vim.fn.has('nvim-0.11') == 0 then
  command('SignalGrep', function()
    local words = require('signal_grep.words')
    words.say(words.text('needs_neovim'), vim.log.levels.ERROR)
  end, { nargs = '*', bang = true })
  return
end

local function complete(...)
  return require('signal_grep.arguments').complete(...)
end

command('SignalGrep', function(given)
  require('signal_grep').grep(given.args, { jump = not given.bang })
end, { nargs = '+', bang = true, complete = complete, desc = 'Search the project into a list' })

command('SignalGrepWord', function(given)
  require('signal_grep').word(given.args, { jump = not given.bang })
end, { nargs = '*', bang = true, complete = complete, desc = 'Search for the word under the cursor' })

command('SignalGrepPage', function(given)
  require('signal_grep').page({ all = given.bang })
end, { bang = true, desc = 'Append the next page to the list' })

command('SignalGrepInspect', function()
  require('signal_grep').inspect()
end, { desc = 'Show the source and the symbol around the cursor or the match' })

command('SignalGrepLive', function(given)
  require('signal_grep').live(given.args)
end, { nargs = '*', complete = complete, desc = 'Search while typing' })

--- A command that takes one word, or none.
local function choice(name, actions, run, desc)
  command(name, function(given)
    run(given.fargs[1])
  end, {
    nargs = '?',
    complete = function(lead)
      return vim.tbl_filter(function(action)
        return vim.startswith(action, lead)
      end, actions)
    end,
    desc = desc,
  })
end

choice('SignalGrepMode', { 'additive', 'override', 'status' }, function(action)
  require('signal_grep').mode(action)
end, 'Choose who does what :grep does')

choice('SignalGrepMetrics', { 'on', 'off', 'report', 'on-next-load' }, function(action)
  require('signal_grep').count(action)
end, 'Compare answers with those of the usual grep tool')

choice('SignalGrepLanguage', { 'en', 'zh-CN', 'status' }, function(action)
  require('signal_grep').language(action)
end, 'Choose the language of messages')

command('SignalGrepInstead', function(given)
  local builtin = require('signal_grep.builtin')
  builtin.remember(given.args)
  builtin.run(given.args)
end, {
  nargs = '+',
  complete = 'command',
  desc = 'Run a :grep through the server, where the override is in force',
})

command('SignalGrepStored', function(given)
  require('signal_grep').stored(given.args, { jump = not given.bang })
end, { nargs = '+', bang = true, desc = 'Search stored text into a list' })

vim.api.nvim_create_autocmd('BufReadCmd', {
  pattern = 'sg-context://*',
  nested = true, -- the server tells by an event that it is ready, and the file type is one too
  desc = 'Open an entry of stored text',
  callback = function(event)
    require('signal_grep.stored').read(event.buf, event.match)
  end,
})

map('n', '<Plug>(SignalGrepWord)', '<Cmd>SignalGrepWord<CR>')
map('x', '<Plug>(SignalGrepSelection)', function()
  require('signal_grep').selection({ jump = true })
end)
map('n', '<Plug>(SignalGrepPage)', '<Cmd>SignalGrepPage<CR>')
map('n', '<Plug>(SignalGrepInspect)', '<Cmd>SignalGrepInspect<CR>')
map('n', '<Plug>(SignalGrepLive)', '<Cmd>SignalGrepLive<CR>')

-- Neovim tells servers of a new name when the buffer is written, and edits before that would be lost on them.
local uri_before = {}

vim.api.nvim_create_autocmd('BufFilePre', {
  desc = 'Keep the name that Signal Grep knows',
  callback = function(event)
    uri_before[event.buf] = vim.uri_from_bufnr(event.buf)
  end,
})

vim.api.nvim_create_autocmd('BufFilePost', {
  desc = 'Tell Signal Grep the new name',
  callback = function(event)
    local document = { uri = uri_before[event.buf] }
    for _, client in ipairs(vim.lsp.get_clients({ name = 'signal_grep', bufnr = event.buf })) do
      client:notify('textDocument/didClose', { textDocument = document })
      -- Not before the new name: where it is refused nothing would attach the buffer again.
      vim.lsp.buf_detach_client(event.buf, client.id)
      vim.lsp.buf_attach_client(event.buf, client.id)
    end
  end,
})

vim.api.nvim_create_autocmd('User', {
  pattern = 'SignalGrepReady',
  desc = 'Follow the mode, the language and the metrics of a server',
  callback = function(event)
    require('signal_grep.preferences').follow(vim.lsp.get_client_by_id(event.data.client_id))
  end,
})

vim.api.nvim_create_autocmd('User', {
  pattern = 'SignalGrepExit',
  desc = 'Give back what a server did',
  callback = function(event)
    require('signal_grep.preferences').forget(event.data.client_id)
  end,
})

local function begin()
  if require('signal_grep.userfile').read().overrideBuiltinGrep then
    require('signal_grep.preferences').begin()
  end
end

if vim.v.vim_did_enter == 1 then
  vim.schedule(begin)
else
  vim.api.nvim_create_autocmd('VimEnter', {
    desc = 'Take :grep where that was chosen',
    callback = vim.schedule_wrap(begin),
  })
end

highlight(0, 'SignalGrepMatch', { link = 'IncSearch', default = true })
highlight(0, 'SignalGrepLine', { link = 'CursorLine', default = true })
highlight(0, 'SignalGrepPath', { link = 'Directory', default = true })
highlight(0, 'SignalGrepLineNr', { link = 'LineNr', default = true })
