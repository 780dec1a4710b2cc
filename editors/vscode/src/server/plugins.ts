/** Which extensions this VS Code has, for the server to know whether one of them owns its grep. */

export interface Extension {
  id: string;
  packageJSON: unknown;
}

/** Options of `initialize`: the identifiers of what was installed beyond VS Code itself, or why that cannot be told. */
export function pluginOptions(list: () => readonly Extension[]): { plugins: string[] } | { pluginsFailure: string } {
  try {
    return { plugins: list().filter(isInstalled).map(({ id }) => id) };
  } catch (error) {
    return { pluginsFailure: error instanceof Error ? error.message : String(error) };
  }
}

function isInstalled({ packageJSON }: Extension): boolean {
  return (packageJSON as { isBuiltin?: boolean } | undefined)?.isBuiltin !== true;
}
