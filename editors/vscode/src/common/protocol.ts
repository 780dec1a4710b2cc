/** What the server's commands take and answer, as far as this extension uses them: see docs/protocol.md. */

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface Location {
  uri: string;
  range: Range;
}

export interface SearchParams {
  pattern: string;
  literal?: boolean;
  ignoreCase?: boolean;
  wholeWord?: boolean;
  encoding?: string;
  uri?: string[];
  glob?: string[];
  exclude?: string[];
  hidden?: boolean;
  ignored?: boolean;
  follow?: boolean;
  includeUnsaved?: boolean;
  mode?: 'auto' | 'summary' | 'matches';
  view?: 'both' | 'text' | 'items';
  limit?: number;
  keep?: boolean;
  explainEmpty?: boolean;
  partialResultToken?: string;
}

export type PartialReason = 'retention-limit' | 'unreadable-path' | 'oversized-line' | 'binary-file';

export interface Totals {
  matches: number;
  occurrences: number;
  files: number;
  filesSearched: number;
  retained: number;
}

export interface FileRow {
  uri: string;
  path: string;
  matches: number;
  occurrences: number;
  retained: number;
  verified: boolean;
  unsaved?: true;
}

/** A row before it has an index, or a proof. */
export interface StreamedMatch {
  uri: string;
  path: string;
  line: number;
  location: Location;
  ranges: Range[];
  text: string;
  clipped: boolean;
}

export interface Match extends StreamedMatch {
  index: number;
  source: 'disk' | 'document';
  verified: boolean;
}

export interface StreamedBatch {
  matches: StreamedMatch[];
  totals: Pick<Totals, 'matches' | 'files'>;
}

export interface SearchResult {
  mode: 'empty' | 'summary' | 'matches';
  status: 'complete' | 'partial';
  partialReasons: PartialReason[];
  text?: string;
  totals: Totals;
  files?: FileRow[];
  matches?: Match[];
  snapshot?: string;
  cursor?: string;
  unverifiedFiles: number;
  keptOut?: { files: number; matching: { path: string; uri: string }[]; complete: boolean };
  elapsedMs: number;
}

export interface PageParams {
  cursor?: string;
  snapshot?: string;
  uri?: string[];
  limit?: number;
  view?: 'both' | 'text' | 'items';
}

export type InspectParams = { uri: string; position: Position } | { snapshot: string; matchIndex: number };

export type Structure =
  | 'available'
  | 'no-enclosing-symbol'
  | 'provider-unavailable'
  | 'unsupported-range'
  | 'parse-error'
  | 'oversized'
  | 'source-unavailable'
  | 'source-changed';

export interface Inspection {
  path: string;
  uri: string;
  line: number;
  outcome: 'returned' | 'deferred' | 'error';
  structure: Structure;
  symbol?: { name: string; kind: string; container?: string; language: string; range: Range; provider: string };
  block?: number;
  location?: Location;
  linesOmittedBefore?: number;
  linesOmittedAfter?: number;
  message?: string;
}

export interface SourceBlock {
  uri: string;
  path: string;
  /** 1-based, counting LF only. */
  startLine: number;
  lines: string[];
}

export interface InspectResult {
  status: 'complete' | 'partial';
  inspections: Inspection[];
  blocks: SourceBlock[];
}

/** An entry of stored text, without the text. */
export interface Entry {
  id: string;
  uri: string;
  threadId: string;
  summary?: string;
  createdAt: string;
  tags: string[];
}

export interface ContextGrepParams {
  pattern: string;
  outputMode: 'content';
  maxMatches: number;
}

export interface EntryMatch {
  id: string;
  lineNumber: number;
  line: string;
  range: Range;
}

export interface ContextGrepResult {
  results: EntryMatch[];
  truncated: boolean;
}

export interface Program {
  path?: string;
  found?: string;
  version?: string;
}

export interface Problem {
  code: string;
  message: string;
  hint: string;
}

export interface Health {
  server: string;
  python: string;
  platform: string;
  rg: Program;
  ctags: Program;
  positionEncoding: string;
  folders: { name: string; uri: string; path: string }[];
  snapshots: { id: string; bytes: number; rows: number; ageSeconds: number }[];
  snapshotsBytes: number;
  processes: { pid: number; name: string }[];
  problems: Problem[];
}

export interface ModeParams {
  action: 'additive' | 'override' | 'status';
}

export interface ModeResult {
  configured: 'additive' | 'override';
  effective: 'additive' | 'override';
  /** Why they differ, for people, without a full stop. */
  reason?: string;
}

export interface MetricsParams {
  action: 'on' | 'off' | 'report' | 'on-next-load';
}

export interface Amount {
  tokens: number;
  bytes: number;
}

export interface MetricsResult {
  active: boolean;
  searches: number;
  signal: Amount;
  normal: Amount;
  /** What was saved; negative where answers were longer. */
  deltaTokens: number;
  deltaPercent: number;
  /** All of it, for people. */
  text: string;
}

export type Locale = 'en' | 'zh-CN';

/** Of each command: what it takes, and what it answers. */
export interface ServerCommands {
  'sg.search': [SearchParams, SearchResult];
  'sg.page': [PageParams, SearchResult];
  'sg.inspect': [InspectParams, InspectResult];
  'sg.clear': [{ snapshot?: string }, { cleared: number }];
  'sg.health': [Record<string, never>, Health];
  'sg.context.grep': [ContextGrepParams, ContextGrepResult];
  'sg.context.list': [{ limit: number }, { entries: Entry[] }];
  'sg.mode': [ModeParams, ModeResult];
  'sg.metrics': [MetricsParams, MetricsResult];
  'sg.locale': [{ action: Locale | 'status' }, { locale: Locale }];
}

export type ServerCommand = keyof ServerCommands;
