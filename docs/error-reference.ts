import { ERRORS } from '@grantkit/core/errors'
import type { ErrorDefinition } from '@grantkit/core/feature'
import { type Party, VERDICTS, type VerdictText } from '@grantkit/explain'
import { DEVELOPER_ONLY, NOTHING_TO_FIX } from '../packages/explain/src/verdicts/verdict-text.ts'
import { ERROR_GROUPS } from './error-groups.ts'

/** Who can change a fault, as a label. The page explains them. */
const PARTIES: Readonly<Record<Party, string>> = {
  app: 'App',
  operator: 'Operator',
  user: 'User',
  network: 'Network',
  server: 'Server',
  none: 'No fault',
}

/** The reasons of each error code: a client sees the code alone. */
export function reasonsByCode(): string {
  const reasons = Map.groupBy(Object.values(ERRORS), ({ error }) => error)
  const rows = [...reasons].map(([code, errors]) => [
    `\`${code}\``,
    errors.map(({ reason }) => `[${reason}](#${reason})`).join(', '),
  ])
  return [['Error code', 'Reasons'], ['---', '---'], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
}

/** Every error of core, by endpoint and feature. */
export function errorReference(): string {
  const grouped = ERROR_GROUPS.flatMap(({ verdicts }) => Object.keys(verdicts))
  const missing = Object.keys(ERRORS).filter((reason) => !grouped.includes(reason))
  if (missing.length > 0) throw new Error(`No group of docs/error-groups.ts has ${missing.join(', ')}`)
  return ERROR_GROUPS.map(({ title, intro, verdicts }) => {
    const errors = Object.entries(verdicts).map(([reason, verdict]) =>
      errorEntry(ERRORS[reason as keyof typeof ERRORS], verdict),
    )
    return [`## ${title}`, intro, ...errors].join('\n\n')
  }).join('\n\n')
}

/** One error as a section. @param verdict absent for the error of a feature of your own */
export function errorEntry(definition: ErrorDefinition, verdict?: VerdictText): string {
  const { reason, error, status, description } = definition
  // The second sentence of a description says what the app has to do: the entry of such an error has it at length.
  const [said = ''] = verdict?.by === 'app' ? description.split('. ') : [description]
  const answer = `\`${error}\` ${status}: *${said}*`
  return [`### ${reason}`, answer, ...(verdict ? explanation(verdict) : [])].join('\n\n')
}

/** What no error says: a step that never came, or one that came again. */
export function findingReference(): string {
  return Object.entries(VERDICTS)
    .filter(([id]) => !Object.hasOwn(ERRORS, id))
    .map(([id, verdict]) => [`### ${id}`, ...explanation(verdict)].join('\n\n'))
    .join('\n\n')
}

/**
 * The party that can change a fault stands first. What the developer of an app hears of a fault that is not theirs is on the error
 * page and in `why` alone.
 */
function explanation({ by, sentence, fix, toDeveloper, doctorCheck }: VerdictText): string[] {
  const own = fix === DEVELOPER_ONLY || fix === NOTHING_TO_FIX ? [] : [fix]
  const check = doctorCheck === undefined ? [] : [`[Doctor](doctor.md): \`${doctorCheck}\`.`]
  const point = (party: string, ...texts: string[]) =>
    `**${party}**${texts.length === 0 ? '.' : `: ${texts.join(' ')}`}`
  const points =
    by === 'app'
      ? [point(PARTIES.app, toDeveloper, ...check), ...own.map((text) => point(PARTIES.operator, text))]
      : [point(PARTIES[by], ...own, ...check)]
  return [sentence, points.length === 1 ? points.join('') : points.map((point) => `- ${point}`).join('\n')]
}
