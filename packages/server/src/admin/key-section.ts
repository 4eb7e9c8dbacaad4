import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'
import type { KeyState } from '../operator/overview.ts'
import { DAY_SECONDS } from '../time-units.ts'
import { table } from './table.ts'
import { momentOf } from './times.ts'

const ROLES: Readonly<Record<KeyState['role'], { text: string; kind: number }>> = {
  signs: { text: 'signs now', kind: 1 },
  next: { text: 'is published, and will sign', kind: 3 },
  earlier: { text: 'is published for what it signed', kind: 2 },
}

/** The signing keys with their age. @param now in epoch seconds */
export async function keySection(keys: readonly KeyState[], now: number): Promise<Markup> {
  const { ageBars } = await import('./charts/age-bars.ts')
  const daysOf = ({ madeAt }: KeyState) => Math.max(0, (now - madeAt) / DAY_SECONDS)
  const aged = keys.map((key) => ({
    name: `${key.alg}, ${ageText(key, daysOf(key))}, ${ROLES[key.role].text}`,
    days: daysOf(key),
    kind: ROLES[key.role].kind,
  }))
  return html`
${ageBars('Signing keys by age in days', aged)}
${table(
  'Signing keys',
  [
    { head: 'Key', cell: ({ kid }) => html`<code>${kid}</code>` },
    { head: 'Algorithm', cell: ({ alg }) => alg },
    { head: 'State', cell: ({ role }) => ROLES[role].text },
    { head: 'Age', cell: (key) => ageText(key, daysOf(key)) },
    {
      head: 'Made',
      cell: ({ madeAt, mayBeOlder }) => html`${momentOf(madeAt)}${mayBeOlder ? ' or before' : ''}`,
    },
    {
      head: 'Signs from',
      cell: ({ signsFrom }) => (signsFrom === undefined ? 'the start' : momentOf(signsFrom)),
    },
  ],
  keys,
)}`
}

function ageText({ mayBeOlder }: KeyState, days: number): string {
  const whole = Math.floor(days)
  const text = whole === 0 ? 'less than a day' : `${whole} ${whole === 1 ? 'day' : 'days'}`
  if (!mayBeOlder) return text
  return whole === 0 ? `${text}, or older` : `at least ${text}`
}
