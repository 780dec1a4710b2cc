/** Earlier searches of this workspace, and the options last used. */

import { DEFAULT_OPTIONS, type Options, type Query } from './query';

/** Where it is kept: VS Code's Memento, or anything like it. */
export interface Storage {
  get<T>(key: string, otherwise: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

const QUERIES = 'queries';
const OPTIONS = 'options';
const KEPT = 50;

export class History {
  constructor(private readonly storage: Storage) {}

  /** Latest first. */
  get queries(): readonly Query[] {
    return this.storage.get<Query[]>(QUERIES, []);
  }

  get options(): Options {
    return { ...DEFAULT_OPTIONS, ...this.storage.get<Partial<Options>>(OPTIONS, {}) };
  }

  /** Puts `query` first; an earlier one with the same pattern gives way. */
  async add(query: Query): Promise<void> {
    const others = this.queries.filter(({ pattern }) => pattern !== query.pattern);
    await this.storage.update(QUERIES, [query, ...others].slice(0, KEPT));
  }

  async keepOptions({ regex, case: case_, wholeWord, hidden, unsaved, editorRules, include, exclude }: Options): Promise<void> {
    await this.storage.update(OPTIONS, { regex, case: case_, wholeWord, hidden, unsaved, editorRules, include, exclude });
  }
}

/** Walks through earlier searches and back to what was typed. */
export class Walk {
  private at = -1;

  constructor(
    private readonly patterns: readonly string[],
    private readonly typed: string,
  ) {}

  get current(): string {
    return this.patterns[this.at] ?? this.typed;
  }

  /** The pattern `step` further back (1) or forward (-1); it stays at either end. */
  move(step: 1 | -1): string {
    this.at = Math.min(Math.max(this.at + step, -1), this.patterns.length - 1);
    return this.current;
  }
}
