/** What is said one after another. */

/** `parts` as sentences; those of the server come without a full stop. */
export function sentences(...parts: (string | undefined)[]): string {
  return parts
    .filter(part => part !== undefined)
    .filter(part => part !== '')
    .map(withStop)
    .join(' ');
}

function withStop(part: string): string {
  if (/[.!?。！？]$/.test(part)) return part;
  return part + (/\p{Script=Han}/u.test(part) ? '。' : '.');
}
