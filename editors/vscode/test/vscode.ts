/** The part of VS Code's API that pure modules need: words, in English. */

export const l10n = {
  t: (message: string, ...values: (string | number)[]): string =>
    message.replace(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)])),
};
