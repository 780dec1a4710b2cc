/** What a search found, as far as it has been read: files, and their matches page by page. */

import type { FileRow, Match, PageParams, SearchResult } from '../common/protocol';
import type { Query } from '../search/query';

export type ReadPage = (params: PageParams) => Promise<SearchResult>;

/** Files read at once. A page of a summary holds 30, and a list that grows by those is a chore. */
const FILES_A_LOAD = 300;
const MATCHES_A_LOAD = 1000;

export class FileNode {
  readonly kind = 'file';
  readonly matches: MatchNode[] = [];
  /** Where the next page begins; undefined before the first and after the last. */
  cursor: string | undefined;
  private isRead = false;

  constructor(readonly row: FileRow) {}

  get isComplete(): boolean {
    return this.isRead && this.cursor === undefined;
  }

  /** Rows that are kept and have not been read. */
  get left(): number {
    return this.row.retained - this.matches.length;
  }

  add(page: SearchResult): void {
    this.isRead = true;
    this.cursor = page.cursor;
    for (const match of page.matches ?? []) this.matches.push(new MatchNode(match, this));
  }
}

export class MatchNode {
  readonly kind = 'match';

  constructor(
    readonly match: Match,
    readonly file: FileNode,
  ) {}
}

/** The row that reads more: files, or matches of one file. */
export class MoreNode {
  readonly kind = 'more';

  constructor(
    readonly file: FileNode | undefined,
    readonly left: number,
  ) {}
}

export type Node = FileNode | MatchNode | MoreNode;

export class Results {
  readonly files: FileNode[] = [];
  private cursor: string | undefined;
  private readonly removed = new Set<Node>();
  /** Reads of one file, or of files, one after the other: each begins where the last one ended. */
  private readonly turns = new Map<FileNode | undefined, Promise<void>>();

  constructor(
    readonly query: Query,
    readonly result: SearchResult,
    private readonly readPage: ReadPage,
  ) {
    this.addFiles(result);
  }

  /** Rows that were taken from the list; they still count. */
  get removedCount(): number {
    return this.removed.size;
  }

  /** What is to be shown below `node`, or at the top; a file's first matches are read when it is asked for. */
  async children(node?: Node): Promise<Node[]> {
    if (node === undefined) return [...this.shown(this.files), ...this.more(undefined)];
    if (node.kind !== 'file') return [];
    if (node.matches.length === 0) await this.loadMore(node);
    return [...this.shown(node.matches), ...this.more(node)];
  }

  parent(node: Node): FileNode | undefined {
    return node.kind === 'file' ? undefined : node.file;
  }

  /** Reads on in `file`, or in the list of files. */
  async loadMore(file: FileNode | undefined): Promise<void> {
    const turn = (this.turns.get(file) ?? Promise.resolve()).catch(() => undefined);
    const reading = turn.then(() => (file === undefined ? this.readFiles() : this.readMatches(file)));
    this.turns.set(file, reading);
    await reading;
  }

  remove(node: Node): void {
    this.removed.add(node);
  }

  /** The match after `from` (step 1) or before it (-1); from the top or the bottom without `from`. */
  async neighbour(from: MatchNode | undefined, step: 1 | -1): Promise<MatchNode | undefined> {
    if (from !== undefined) {
      const within = await this.withinFile(from, step);
      if (within !== undefined) return within;
    }
    const start = from === undefined ? (step === 1 ? -1 : this.files.length) : this.files.indexOf(from.file);
    for (let i = start + step; i >= 0; i += step) {
      if (i >= this.files.length && this.cursor !== undefined) await this.loadMore(undefined);
      const file = this.files[i];
      if (file === undefined) return undefined;
      const found = this.removed.has(file) ? undefined : await this.edge(file, step);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private async withinFile({ file, match }: MatchNode, step: 1 | -1): Promise<MatchNode | undefined> {
    if (this.removed.has(file)) return undefined;
    for (let i = file.matches.findIndex(node => node.match.index === match.index) + step; i >= 0; i += step) {
      if (i >= file.matches.length && !file.isComplete) await this.loadMore(file);
      const node = file.matches[i];
      if (node === undefined || !this.removed.has(node)) return node;
    }
    return undefined;
  }

  /** The first match of `file`, or its last one, for which all of them have to be read. */
  private async edge(file: FileNode, step: 1 | -1): Promise<MatchNode | undefined> {
    if (file.matches.length === 0) await this.loadMore(file);
    while (step === -1 && !file.isComplete && file.left > 0) await this.loadMore(file);
    const shown = this.shown(file.matches);
    return step === 1 ? shown[0] : shown.at(-1);
  }

  private async readFiles(): Promise<void> {
    const enough = this.files.length + FILES_A_LOAD;
    while (this.cursor !== undefined && this.files.length < enough) {
      this.addFiles(await this.readPage({ cursor: this.cursor, view: 'items' }));
    }
  }

  private async readMatches(file: FileNode): Promise<void> {
    if (file.isComplete || file.row.retained === 0) return;
    const { snapshot } = this.result;
    const from = file.cursor === undefined ? { snapshot: snapshot ?? '', uri: [file.row.uri] } : { cursor: file.cursor };
    file.add(await this.readPage({ ...from, view: 'items', limit: MATCHES_A_LOAD }));
  }

  private addFiles(page: SearchResult): void {
    this.cursor = page.cursor;
    for (const row of page.files ?? []) this.files.push(new FileNode(row));
  }

  private shown<N extends Node>(nodes: N[]): N[] {
    return this.removed.size === 0 ? nodes : nodes.filter(node => !this.removed.has(node));
  }

  private more(file: FileNode | undefined): MoreNode[] {
    const left = file === undefined ? this.result.totals.files - this.files.length : file.left;
    const isThere = file === undefined ? this.cursor !== undefined : file.cursor !== undefined;
    return isThere ? [new MoreNode(file, left)] : [];
  }
}
