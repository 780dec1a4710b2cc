/** What a person asks for, and the request that it becomes. */

import type { SearchParams } from '../common/protocol';
import type { EditorRules } from './editorRules';

export type Case = 'smart' | 'sensitive' | 'insensitive';

export interface Options {
  regex: boolean;
  case: Case;
  wholeWord: boolean;
  hidden: boolean;
  /** Search open documents as they are in the editor. */
  unsaved: boolean;
  /** Leave out what the editor's own settings and ignore files leave out. */
  editorRules: boolean;
  include: string[];
  exclude: string[];
}

export interface Query extends Options {
  pattern: string;
  /** URIs of folders or files; all folders when empty. */
  within: string[];
}

export const DEFAULT_OPTIONS: Options = {
  regex: false,
  case: 'smart',
  wholeWord: false,
  hidden: true,
  unsaved: true,
  editorRules: true,
  include: [],
  exclude: [],
};

const NEXT_CASE: Record<Case, Case> = { smart: 'sensitive', sensitive: 'insensitive', insensitive: 'smart' };

export function nextCase(current: Case): Case {
  return NEXT_CASE[current];
}

/** The globs in what was typed: separated by commas, except inside braces. */
export function globsIn(typed: string): string[] {
  const globs = typed.match(/(?:\{[^}]*\}|[^,])+/g) ?? [];
  return globs.map(glob => glob.trim()).filter(glob => glob !== '');
}

/** The request for `query`; fields that say how to answer are the caller's. */
export function searchParams(query: Query, rules: EditorRules): SearchParams {
  const exclude = [...(query.editorRules ? rules.exclude : []), ...query.exclude];
  return {
    pattern: query.pattern,
    literal: !query.regex,
    ...(query.case === 'smart' ? {} : { ignoreCase: query.case === 'insensitive' }),
    wholeWord: query.wholeWord,
    ...(rules.encoding === undefined ? {} : { encoding: rules.encoding }),
    ...(query.within.length === 0 ? {} : { uri: query.within }),
    ...(query.include.length === 0 ? {} : { glob: query.include }),
    exclude,
    hidden: query.hidden,
    ignored: query.editorRules ? rules.ignored : true,
    follow: query.editorRules ? rules.follow : false,
    includeUnsaved: query.unsaved,
  };
}
