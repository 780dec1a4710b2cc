-- Found by its name: `vim.lsp.enable('signal_grep')`. What is given to `vim.lsp.config` goes over it.

--- Tell the requests that wait, which Neovim itself never does when a server ends.
local function announce(event, client_id)
  vim.api.nvim_exec_autocmds('User', { pattern = event, modeline = false, data = { client_id = client_id } })
end

---@type vim.lsp.Config
return {
  cmd = { 'sg-server' },
  root_markers = { '.git', '.hg', '.jj' },
  -- Without a folder there is nothing to search; then the first command takes the working folder.
  workspace_required = true,
  -- Neovim's own columns are bytes, and the server counts in what is offered here.
  capabilities = { general = { positionEncodings = { 'utf-8' } } },
  -- As Neovim reads files: a lone carriage return ends no line, and what is not UTF-8 is latin1.
  init_options = { loneCrEndsLine = false, invalidUtf8 = 'latin1' },
  before_init = function(params)
    require('signal_grep.plugins').report(params)
  end,
  on_init = function(client)
    announce('SignalGrepReady', client.id)
  end,
  on_exit = function(_, _, client_id)
    vim.schedule(function()
      announce('SignalGrepExit', client_id)
    end)
  end,
}
