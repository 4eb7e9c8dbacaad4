import type { Config } from '../config/config.ts'

type Why = 'created' | 'expiring' | 'leaked' | 'operator'

/** What happened to a token. */
export interface News {
  readonly subject: string
  readonly grantId: string
  readonly why: Why
  /** Absent in the event of an operator. */
  readonly label?: string | undefined
  readonly expiresAt?: number | undefined
}

/** One mail about news of the same kind. */
export function mailAbout(
  news: readonly News[],
  { baseUrl, brand: { name } }: Pick<Config, 'baseUrl' | 'brand'>,
) {
  const why = news[0]?.why ?? 'created'
  const { subject, what, advice } = WORDS[why]
  const labels = news.flatMap(({ label, expiresAt }) => {
    if (label === undefined) return []
    return [`  ${label}${why === 'expiring' && expiresAt !== undefined ? `, on ${dayOf(expiresAt)}` : ''}`]
  })
  const list = labels.length === 0 ? '' : `\n${labels.join('\n')}\n`
  const text = `${what} your account at ${name}, ${baseUrl}.
${list}
${advice}

${baseUrl}/account/tokens
`
  return { subject: `${subject} at ${name}`, text }
}

const WORDS: Readonly<Record<Why, { subject: string; what: string; advice: string }>> = {
  created: {
    subject: 'New personal access token',
    what: 'A personal access token was created for',
    advice: 'If it was not you, revoke the token at once and change your password:',
  },
  expiring: {
    subject: 'A personal access token ends soon',
    what: 'A personal access token that is in use ends within seven days, for',
    advice: 'Create a new one if your program still needs it:',
  },
  leaked: {
    subject: 'A personal access token was leaked',
    what: 'A personal access token was found in public, and was revoked at once, for',
    advice:
      'Whoever saw it could act as you until then. Look through your account, and create a new token if your program still needs one:',
  },
  operator: {
    subject: 'A personal access token was revoked',
    what: 'An operator revoked personal access tokens of',
    advice: 'Your other tokens still work. If you do not know why, ask the operator:',
  },
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}
