import { setTimeout as sleep } from 'node:timers/promises'
import { PERSONAL_CLIENT_ID } from '@grantkit/core/personal-tokens'
import type { StoredAccount } from '../accounts/accounts.ts'
import type { Config } from '../config/config.ts'
import type { ServiceEvent } from '../events.ts'
import { mailSender } from '../sign-in/mail-sender.ts'

/** Mails to users about what happened. */
export interface UserMails {
  onEvent(event: ServiceEvent): void
  /** Resolves when the mails about all events so far are sent. */
  settled(): Promise<void>
}

export type FindAccount = (subject: string) => Promise<StoredAccount | undefined>

export interface MailsOptions {
  readonly config: Pick<Config, 'baseUrl' | 'brand' | 'features' | 'mail'>
  readonly findAccount: FindAccount
  readonly onError: (error: unknown) => void
}

/** News of a user within this time is one mail: an operator may end many tokens at once. */
const GATHERING_MS = 1000

/**
 * Tells users of their personal access tokens. What they end themselves is no news. Absent if no mail server is configured, or
 * users have no tokens.
 */
export function personalTokenMails(options: MailsOptions, sender = mailSender): UserMails | undefined {
  const { url, from } = options.config.mail
  if (url === undefined || from === undefined || !options.config.features.personalTokens.enabled)
    return undefined
  const send = sender({ url, from })
  const pending = new Map<string, News>()
  const running = new Set<Promise<void>>()
  let flushNow = new AbortController()

  async function tell(subject: string, news: readonly News[]): Promise<void> {
    const account = await options.findAccount(subject)
    if (account?.email === undefined) return
    await send({ to: account.email, ...mailAbout(news, options.config) })
  }

  async function flush(): Promise<void> {
    await sleep(GATHERING_MS, undefined, { ref: false, signal: flushNow.signal }).catch(() => {})
    const news = [...pending.values()]
    pending.clear()
    const groups = Map.groupBy(news, ({ subject, why }) => `${why} ${subject}`).values()
    await Promise.all([...groups].map((group) => tell(group[0]?.subject ?? '', group).catch(options.onError)))
  }

  return {
    onEvent(event: ServiceEvent): void {
      const news = newsOf(event)
      if (news === undefined) return
      const first = pending.size === 0
      pending.set(`${news.grantId} ${news.why === 'created'}`, news)
      if (!first) return
      const done = flush().finally(() => running.delete(done))
      running.add(done)
    },
    /** Resolves when the mails about all events so far are sent. */
    async settled(): Promise<void> {
      flushNow.abort()
      flushNow = new AbortController()
      await Promise.all(running)
    },
  }
}

function newsOf(event: ServiceEvent): News | undefined {
  switch (event.type) {
    case 'personal_token_created':
      return { ...event, why: 'created' }
    case 'personal_token_expiring':
      return { ...event, why: 'expiring' }
    case 'grant_revoked': {
      const { clientId, subject, grantId, by } = event
      // A user who is gone or disabled gets no mail.
      const isEnd =
        clientId === PERSONAL_CLIENT_ID && by === 'operator' && !('reason' in event && event.reason)
      return isEnd && subject !== undefined ? { subject, grantId, why: 'operator' } : undefined
    }
    default:
      return undefined
  }
}

type Why = 'created' | 'expiring' | 'operator'

/** What happened to a token. */
interface News {
  readonly subject: string
  readonly grantId: string
  readonly why: Why
  /** Absent in the event of an operator. */
  readonly label?: string | undefined
  readonly expiresAt?: number | undefined
}

/** One mail about news of the same kind. */
function mailAbout(news: readonly News[], { baseUrl, brand: { name } }: Pick<Config, 'baseUrl' | 'brand'>) {
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
  operator: {
    subject: 'A personal access token was revoked',
    what: 'An operator revoked personal access tokens of',
    advice: 'Your other tokens still work. If you do not know why, ask the operator:',
  },
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}
