--- The server of a project: found or started when it is needed, asked, and never waited for.
local M = {}

M.NAME = 'signal_grep'

---@class signal_grep.Failure
---@field code integer
---@field message string
---@field data? {code: string, hint: string?}

---@alias signal_grep.Done fun(failure: signal_grep.Failure?, result: any, client: vim.lsp.Client?)

local REQUEST_CANCELLED = -32800
local CANCELLED = { code = REQUEST_CANCELLED, message = 'cancelled' }
local STOPPED =
  { code = -1, message = 'the server has stopped', data = { hint = ':checkhealth signal_grep says why' } }

---@param failure signal_grep.Failure
function M.is_cancelled(failure)
  return failure.code == REQUEST_CANCELLED
end

--- Where a search from the current buffer looks: its project, or that of the working folder if that is there.
---@return string?
local function root(config)
  local chosen = config.root_dir
  if type(chosen) == 'function' then
    local choose = chosen
    chosen = nil
    choose(vim.api.nvim_get_current_buf(), function(folder)
      chosen = folder
    end)
  end
  local name = vim.api.nvim_buf_get_name(0)
  local is_file = vim.bo.buftype == '' and name ~= ''
  local start = is_file and name or vim.uv.cwd()
  return chosen or start and vim.fs.root(start, config.root_markers or {}) or vim.uv.cwd()
end

--- The current buffer's server; else that of its project, which is started if there is none yet.
---@return vim.lsp.Client?
---@return string? problem
function M.start()
  local attached = vim.lsp.get_clients({ name = M.NAME, bufnr = 0 })[1]
  if attached then
    return attached
  end
  local config = vim.lsp.config[M.NAME]
  if type(config.cmd) == 'table' and vim.fn.executable(config.cmd[1]) == 0 then
    return nil, ('%s cannot be run'):format(config.cmd[1])
  end
  local folder = root(config)
  if not folder then
    return nil, 'the current directory is gone'
  end
  config = vim.tbl_extend('force', config, { root_dir = folder })
  local id = vim.lsp.start(config, { attach = false, silent = true })
  if not id then
    return nil, 'the server does not start'
  end
  return vim.lsp.get_client_by_id(id)
end

---@param client vim.lsp.Client
---@param name string of a buffer
local function is_inside(client, name)
  name = vim.uv.fs_realpath(name) or name
  return vim.iter(client.workspace_folders or {}):any(function(folder)
    local path = vim.uri_to_fname(folder.uri)
    return vim.fs.relpath(vim.uv.fs_realpath(path) or path, name) ~= nil
  end)
end

--- Let the server see unsaved text that it has not been told of: of buffers without a file type, and of those
--- that were there before it.
---@param client vim.lsp.Client
local function attach_modified(client)
  for _, buffer in ipairs(vim.fn.getbufinfo({ bufloaded = 1, bufmodified = 1 })) do
    local is_new = not client.attached_buffers[buffer.bufnr]
    if
      is_new
      and buffer.name ~= ''
      and vim.bo[buffer.bufnr].buftype == ''
      and is_inside(client, buffer.name)
    then
      vim.lsp.buf_attach_client(buffer.bufnr, client.id)
    end
  end
end

--- Run one of the server's commands. `on_done` is called exactly once: Neovim by itself forgets those whose
--- request was cancelled or whose server has ended.
---@param command string
---@param argument table
---@param on_done signal_grep.Done
---@param options? {client: vim.lsp.Client?, token: string?}
---@return fun() cancel
function M.execute(command, argument, on_done, options)
  options = options or {}
  local watch, request_id
  local is_open = true

  local function finish(failure, result, client)
    if is_open then
      is_open = false
      if watch then
        vim.api.nvim_del_autocmd(watch)
      end
      on_done(failure, result, client)
    end
  end

  local client, problem = options.client, nil
  if not client then
    client, problem = M.start()
  end
  if not client then
    finish({ code = -1, message = problem, data = { hint = ':checkhealth signal_grep says what to do' } })
    return function() end
  end

  local function send()
    attach_modified(client)
    -- Without a buffer number Neovim first sends the changes that it holds back, of every buffer.
    local is_sent, id = client:request('workspace/executeCommand', {
      command = command,
      arguments = { next(argument) and argument or vim.empty_dict() },
      workDoneToken = options.token,
    }, function(failure, result)
      finish(failure, result, client)
    end)
    request_id = id
    if not is_sent then
      finish(STOPPED)
    end
  end

  watch = vim.api.nvim_create_autocmd('User', {
    pattern = { 'SignalGrepReady', 'SignalGrepExit' },
    callback = function(event)
      if event.data.client_id == client.id then
        if event.match == 'SignalGrepExit' then
          finish(STOPPED)
        elseif not request_id then
          send()
        end
      end
    end,
  })
  if client.initialized then
    send()
  end

  return function()
    if is_open then
      if request_id then
        client:cancel_request(request_id)
      end
      finish(CANCELLED)
    end
  end
end

return M
