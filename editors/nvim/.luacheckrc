std = 'luajit'
max_line_length = 110
read_globals = { 'vim' }
-- Options are set through these tables.
globals = { 'vim.bo', 'vim.wo', 'vim.g' }
