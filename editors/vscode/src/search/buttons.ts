/** The buttons of the quick pick. A button looks the same on or off: its tooltip and the title say which. */

import { ThemeIcon, l10n, type QuickInputButton } from 'vscode';
import { nextCase, type Options } from './query';

/** A press changes options at once, asks for globs, or sends everything to the results view. */
export type Press = ((options: Options) => Options) | 'include' | 'exclude' | 'results';

export interface PickerButton extends QuickInputButton {
  press: Press;
}

export const toggleRegex = (options: Options): Options => ({ ...options, regex: !options.regex });
export const toggleWord = (options: Options): Options => ({ ...options, wholeWord: !options.wholeWord });
export const turnCase = (options: Options): Options => ({ ...options, case: nextCase(options.case) });

export function buttonsFor(options: Options): PickerButton[] {
  const cases = {
    smart: l10n.t('Smart Case (Alt+C: Match Case)'),
    sensitive: l10n.t('Match Case (Alt+C: Ignore Case)'),
    insensitive: l10n.t('Ignore Case (Alt+C: Smart Case)'),
  };
  return [
    button('regex', options.regex ? l10n.t('Regular Expression (Alt+R: Text)') : l10n.t('Text (Alt+R: Regular Expression)'), toggleRegex),
    button('case-sensitive', cases[options.case], turnCase),
    button('whole-word', options.wholeWord ? l10n.t('Whole Words (Alt+W: Any Place)') : l10n.t('Any Place (Alt+W: Whole Words)'), toggleWord),
    button(
      options.hidden ? 'eye' : 'eye-closed',
      options.hidden ? l10n.t('Hidden Files Are Searched') : l10n.t('Hidden Files Are Not Searched'),
      now => ({ ...now, hidden: !now.hidden }),
    ),
    button(
      options.unsaved ? 'circle-filled' : 'save',
      options.unsaved ? l10n.t('Unsaved Text Is Searched') : l10n.t('Only Saved Text Is Searched'),
      now => ({ ...now, unsaved: !now.unsaved }),
    ),
    button(
      'exclude',
      options.editorRules
        ? l10n.t('Exclude Settings and Ignore Files Are Followed')
        : l10n.t('Excluded and Ignored Files Are Searched Too'),
      now => ({ ...now, editorRules: !now.editorRules }),
    ),
    button('filter', l10n.t('Files to Include'), 'include'),
    button('filter-filled', l10n.t('Files to Exclude'), 'exclude'),
    button('list-tree', l10n.t('Send All to Results View (Alt+S)'), 'results'),
  ];
}

function button(icon: string, tooltip: string, press: Press): PickerButton {
  return { iconPath: new ThemeIcon(icon), tooltip, press };
}
