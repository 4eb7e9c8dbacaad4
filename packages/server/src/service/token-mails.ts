import { setTimeout as sleep } from 'node:timers/promises'
import { PERSONAL_CLIENT_ID } from '@grantkit/core/personal-tokens'
import { fillText } from '@grantkit/pages'
import type { StoredAccount } from '../accounts/accounts.ts'
import type { UserSession } from '../accounts/sessions.ts'
import type { Config } from '../config/config.ts'
import type { ServiceEvent } from '../events.ts'
import { languageFor, type PageLanguage } from '../pages/page-language.ts'
import { type MailText, mailSender } from '../sign-in/mail-sender.ts'

/** Mails to users about what happened. */
export interface UserMails {
  onEvent(event: ServiceEvent): void
  /** Resolves when the mails about all events so far are sent. */
  settled(): Promise<void>
}

/** Reads who gets a mail. */
export interface Readers {
  account(subject: string): Promise<StoredAccount | undefined>
  /** The newest first. */
  sessions(subject: string): Promise<readonly Pick<UserSession, 'language'>[]>
}

/**
 * One mail, in each language that its reader may need. Only the `locale` of the account is surely theirs: a session, and the browser
 * that changed something, may be a thief's, so the English text stands below that in their language.
 *
 * @param ofChange a BCP 47 tag
 */
export async function mailTo(
  account: StoredAccount,
  readers: Readers,
  textIn: (language: PageLanguage) => MailText,
  ofChange?: string,
): Promise<MailText> {
  if (account.locale !== undefined) return textIn(languageFor(account.locale))
  const oldest = (await readers.sessions(account.id)).findLast(({ language }) => language !== undefined)
  const languages = new Set([languageFor(oldest?.language ?? ofChange), languageFor('en')])
  const texts = [...languages].map(textIn)
  return {
    subject: texts.map(({ subject }) => subject).join(' / '),
    text: texts.map(({ text }) => text).join('\n* * *\n\n'),
  }
}

export interface MailsOptions {
  readonly config: Pick<Config, 'baseUrl' | 'brand' | 'features' | 'mail'>
  readonly readers: Readers
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
    const account = await options.readers.account(subject)
    if (account?.email === undefined) return
    const textIn = (language: PageLanguage) => mailAbout(news, options.config, language)
    await send({ to: account.email, ...(await mailTo(account, options.readers, textIn)) })
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
function mailAbout(
  news: readonly News[],
  { baseUrl, brand: { name: brand } }: Pick<Config, 'baseUrl' | 'brand'>,
  { mails }: PageLanguage,
): MailText {
  const why = news[0]?.why ?? 'created'
  const { title, what, advice } = mails.tokens[why]
  const labels = news.flatMap(({ label, expiresAt }) => {
    if (label === undefined) return []
    const ends = why === 'expiring' && expiresAt !== undefined
    return [`  ${ends ? fillText(mails.tokenOn, { label, day: dayOf(expiresAt) }) : label}`]
  })
  const list = labels.length === 0 ? '' : `\n${labels.join('\n')}\n`
  const text = `${fillText(what, { brand, url: baseUrl })}
${list}
${advice}

${baseUrl}/account/tokens
`
  return { subject: fillText(mails.subject, { title, brand }), text }
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}
