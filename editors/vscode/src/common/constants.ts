/** Every id that is written in package.json too, and every name that the server and the extension share. */

export const EXTENSION = 'signalGrep';

export const COMMANDS = {
  search: 'signalGrep.search',
  findInFiles: 'signalGrep.findInFiles',
  searchSelection: 'signalGrep.searchSelection',
  searchInFolder: 'signalGrep.searchInFolder',
  repeatLast: 'signalGrep.repeatLast',
  inspectAtCursor: 'signalGrep.inspectAtCursor',
  searchStored: 'signalGrep.searchStored',
  health: 'signalGrep.health',
  restart: 'signalGrep.restart',
  showOutput: 'signalGrep.showOutput',
  installServer: 'signalGrep.installServer',
  mode: 'signalGrep.mode',
  overrideOn: 'signalGrep.override.on',
  overrideOff: 'signalGrep.override.off',
  metricsReport: 'signalGrep.metrics.report',
  metricsOn: 'signalGrep.metrics.on',
  metricsOff: 'signalGrep.metrics.off',
  metricsOnNextStart: 'signalGrep.metrics.onNextStart',
  language: 'signalGrep.language',
  refresh: 'signalGrep.results.refresh',
  clear: 'signalGrep.results.clear',
  next: 'signalGrep.results.next',
  previous: 'signalGrep.results.previous',
  copyAll: 'signalGrep.results.copyAll',
  copy: 'signalGrep.results.copy',
  remove: 'signalGrep.results.remove',
  inspect: 'signalGrep.results.inspect',
  open: 'signalGrep.results.open',
  loadMore: 'signalGrep.results.loadMore',
  pickerRegex: 'signalGrep.picker.regex',
  pickerCase: 'signalGrep.picker.case',
  pickerWord: 'signalGrep.picker.word',
  pickerHistoryPrevious: 'signalGrep.picker.historyPrevious',
  pickerHistoryNext: 'signalGrep.picker.historyNext',
  pickerToResults: 'signalGrep.picker.toResults',
} as const;

export const RESULTS_VIEW = 'signalGrep.results';

export const CONTEXT = {
  hasResults: 'signalGrep.hasResults',
  pickerOpen: 'signalGrep.pickerOpen',
  override: 'signalGrep.override',
  metrics: 'signalGrep.metrics',
} as const;

export const INSPECTION_SCHEME = 'signal-grep-inspection';
export const HEALTH_SCHEME = 'signal-grep-health';
/** Of stored text; the server's own. */
export const ENTRY_SCHEME = 'sg-context';

/** Settings of the section `signalGrep` that are the server's; the others are this extension's alone. */
export const SERVER_SETTINGS = ['maxFileSize', 'threads'] as const;
