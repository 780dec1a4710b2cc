/** VS Code's own search settings in the server's terms. */

/** As VS Code has them under `files` and `search`. */
export interface EditorSettings {
  filesExclude: Record<string, unknown>;
  searchExclude: Record<string, unknown>;
  useIgnoreFiles: boolean;
  followSymlinks: boolean;
  encoding: string;
}

export interface EditorRules {
  exclude: string[];
  ignored: boolean;
  follow: boolean;
  /** A label of the WHATWG, as ripgrep takes it; undefined for UTF-8, and for what ripgrep cannot read. */
  encoding: string | undefined;
}

export function editorRules(settings: EditorSettings): EditorRules {
  return {
    exclude: [...new Set([...globs(settings.filesExclude), ...globs(settings.searchExclude)])],
    ignored: !settings.useIgnoreFiles,
    follow: settings.followSymlinks,
    encoding: LABELS[settings.encoding],
  };
}

/** Globs that are on. One with `when` depends on a sibling of each file, which no glob can say. */
function globs(excludes: Record<string, unknown>): string[] {
  return Object.keys(excludes)
    .filter(glob => excludes[glob] === true)
    .map(glob => glob.replace(/\/+$/, ''))
    .filter(glob => glob !== '')
    .map(anchored);
}

/** To VS Code a name alone is a child of the folder; to ripgrep it would be that name at any depth. */
function anchored(glob: string): string {
  return glob.includes('/') ? glob : `/${glob}`;
}

const LABELS: Partial<Record<string, string>> = {
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
  windows1250: 'windows-1250',
  windows1251: 'windows-1251',
  windows1252: 'windows-1252',
  windows1253: 'windows-1253',
  windows1254: 'windows-1254',
  windows1255: 'windows-1255',
  windows1256: 'windows-1256',
  windows1257: 'windows-1257',
  windows1258: 'windows-1258',
  windows874: 'windows-874',
  iso88591: 'iso-8859-1',
  iso88592: 'iso-8859-2',
  iso88593: 'iso-8859-3',
  iso88594: 'iso-8859-4',
  iso88595: 'iso-8859-5',
  iso88596: 'iso-8859-6',
  iso88597: 'iso-8859-7',
  iso88598: 'iso-8859-8',
  iso88599: 'iso-8859-9',
  iso885910: 'iso-8859-10',
  iso885911: 'iso-8859-11',
  iso885913: 'iso-8859-13',
  iso885914: 'iso-8859-14',
  iso885915: 'iso-8859-15',
  iso885916: 'iso-8859-16',
  cp866: 'ibm866',
  macroman: 'macintosh',
  koi8r: 'koi8-r',
  koi8u: 'koi8-u',
  gbk: 'gbk',
  gb2312: 'gb2312',
  gb18030: 'gb18030',
  cp950: 'big5',
  big5hkscs: 'big5-hkscs',
  shiftjis: 'shift_jis',
  eucjp: 'euc-jp',
  euckr: 'euc-kr',
};
