import type { EventCounter } from '@grantkit/core/internal'
import { PERSONAL_CLIENT_ID } from '@grantkit/core/personal-tokens'
import { createMails, type MailOptions } from '@grantkit/notifications'
import { fillText } from '@grantkit/pages'
import type { StoredAccount } from '../accounts/accounts.ts'
import type { UserSession } from '../accounts/sessions.ts'
import { type BrowserOfCaller, browserOfCaller } from '../audit/caller.ts'
import type { Config } from '../config/config.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import type { ServiceEvent } from '../events.ts'
import type { CreateCounter } from '../limits/counters.ts'
import { deviceText, languageFor, type PageLanguage } from '../pages/page-language.ts'
import type { ServiceContext } from '../service-context.ts'
import { type MailText, mailSender } from '../sign-in/mail-sender.ts'

/** Reads who gets a mail. */
interface Readers {
  account(subject: string): Promise<StoredAccount | undefined>
  /** The newest first. */
  sessions(subject: string): Promise<readonly Pick<UserSession, 'language'>[]>
}

/** The context of a service whose users hear of changes of their accounts and of their tokens. */
export function withMails(context: ServiceContext, readers: Readers): ServiceContext {
  const { store, createCounter } = context.storage
  const outbox = { store, onEvent: context.onEvent, timers: context.delivers }
  const mails = accountMails({ ...context, readers, createCounter, outbox })
  if (mails === undefined) return context
  return {
    ...context,
    onEvent(event) {
      context.onEvent(event)
      mails.onEvent(event)
    },
    async settled() {
      await mails.settled()
      await context.settled()
    },
  }
}

interface Options {
  readonly config: Pick<Config, 'baseUrl' | 'brand' | 'features' | 'mail'>
  readonly readers: Readers
  readonly createCounter: CreateCounter
  readonly outbox: Omit<MailOptions<News>, 'send' | 'undelivered'>
  readonly onError: (error: unknown) => void
}

interface AccountMails {
  onEvent(event: ServiceEvent): void
  /** Resolves when the mails about all events so far are stored. */
  settled(): Promise<void>
  /** Sends what is due now. Timers do it. */
  deliver(): Promise<void>
}

/** To one account. Who changes more than that has been told often enough. */
const OF_ACCOUNT = { points: 10, seconds: DAY_SECONDS }
/** A client may ask ten times an hour, and several may. */
const OF_REQUESTS = { points: 20, seconds: 3600 }
/** As many as a user may have. */
const OF_TOKENS = { points: 50, seconds: DAY_SECONDS }
/** An operator may end many at once. The mail names none of them. */
const OF_ENDED_TOKENS = { points: 1, seconds: 60 }
/** Of each kind that a stranger can cause. */
const OF_STRANGERS = { points: 1, seconds: DAY_SECONDS }

/**
 * Tells users how their account can be opened now, also by personal access tokens, that others guess at its password, and that a
 * client asks them. A mail goes to a verified address alone. It waits in the outbox, so no answer waits for it, and a command
 * leaves it to the service. Absent if no mail server is configured.
 */
export function accountMails(options: Options, sender = mailSender): AccountMails | undefined {
  const { config, createCounter, readers, onError } = options
  const { url, from } = config.mail
  if (url === undefined || from === undefined) return undefined
  const sendMail = sender({ url, from })
  const ofAccount = createCounter('account_mail', OF_ACCOUNT)
  const ofStrangers = createCounter('guesses_mail', OF_STRANGERS)
  /** What takes nothing from the other mails of the account. */
  const apart: Partial<Record<News['kind'], EventCounter>> = {
    request: createCounter('request_mail', OF_REQUESTS),
    token_created: createCounter('token_created_mail', OF_TOKENS),
    token_expiring: createCounter('token_expiring_mail', OF_TOKENS),
    token_ended: createCounter('token_ended_mail', OF_ENDED_TOKENS),
  }
  const storing = new Set<Promise<void>>()
  const outbox = createMails<News>({
    ...options.outbox,
    share: ({ subject, kind }) => ({ subject, kind, isMinor: isByStranger(kind) || kind === 'request' }),
    send: (news) =>
      sendNow(news).catch((error: unknown) => {
        onError(error)
        throw error
      }),
    undelivered: ({ why, count }) =>
      onError(new Error(`${count} mails about accounts were not sent: ${why}`)),
  })

  async function sendNow(news: News): Promise<void> {
    if (news.endsAt !== undefined && news.endsAt < Date.now() / 1000) return
    const account = await readers.account(news.subject)
    if (account?.email === undefined || !account.email_verified) return
    const textIn = (language: PageLanguage) => mailAbout(news, config, language)
    // Who tries to get in is no reader.
    const ofChange = isByStranger(news.kind) ? undefined : news.language
    await sendMail({ to: account.email, ...(await mailTo(account, readers, textIn, ofChange)) })
  }

  async function store(news: News): Promise<void> {
    const { kind, subject } = news
    if (isByStranger(kind) && (await ofStrangers.take(`${kind} ${subject}`)) > 0) return
    const counter = apart[kind] ?? ofAccount
    if ((await counter.take(subject)) === 0) await outbox.add(news)
  }

  return {
    onEvent(event) {
      const { baseUrl, features } = config
      const ofTokens = features.personalTokens.enabled ? tokenNewsOf(event, baseUrl) : undefined
      const news = ofTokens ?? newsOf(event)
      if (news === undefined) return
      const stored = store(news)
        .catch(onError)
        .finally(() => storing.delete(stored))
      storing.add(stored)
    },
    async settled() {
      await Promise.all(storing)
    },
    deliver: () => outbox.deliver(),
  }
}

/**
 * One mail, in each language that its reader may need. Only the `locale` of the account is surely theirs: a session, and the browser
 * that changed something, may be a thief's, so the English text stands below that in their language.
 *
 * @param ofChange a BCP 47 tag
 */
async function mailTo(
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

function isByStranger(kind: News['kind']): boolean {
  return kind === 'guesses' || kind === 'passkey_required'
}

/** What a mail says. */
interface News extends BrowserOfCaller {
  readonly kind: keyof typeof ADVICE
  readonly subject: string
  /** Epoch seconds. */
  readonly at: number
  /** The host of a provider. */
  readonly provider?: string
  /** The name of a token, and when it ends, in epoch seconds. */
  readonly token?: string
  readonly expiresAt?: number | undefined
  /** Where the user goes, and until when that waits, in epoch seconds. Default: the account page, and no end. */
  readonly url?: string
  readonly endsAt?: number
}

/** An operator is no caller whose browser a user should know. */
function newsOf(event: ServiceEvent): News | undefined {
  const at = Date.now() / 1000
  switch (event.type) {
    case 'account_password_changed': {
      const { subject, by } = event
      return { kind: `password_by_${by}`, subject, at, ...(by !== 'operator' && browserOfCaller()) }
    }
    case 'passkey_added':
    case 'passkey_removed':
      return { kind: event.type, subject: event.subject, at, ...browserOfCaller() }
    case 'identity_linked':
    case 'identity_removed': {
      const { type: kind, subject, issuer } = event
      return { kind, subject, at, provider: hostOf(issuer), ...browserOfCaller() }
    }
    case 'backchannel_requested': {
      const { subject, url, expiresAt: endsAt } = event
      return { kind: 'request', subject, at, url, endsAt }
    }
    case 'account_admin_added':
      return { kind: event.type, subject: event.subject, at }
    case 'sign_in_failed': {
      const { subject, reason, slowed } = event
      if (reason === 'passkey_required' && subject !== undefined)
        return { kind: reason, subject, at, ...browserOfCaller() }
      return slowed && subject !== undefined
        ? { kind: 'guesses', subject, at, ...browserOfCaller() }
        : undefined
    }
    default:
      return undefined
  }
}

/** What users end themselves is no news. The page of tokens is gone with the feature. */
function tokenNewsOf(event: ServiceEvent, baseUrl: string): News | undefined {
  const where = { at: Date.now() / 1000, url: `${baseUrl}/account/tokens` }
  switch (event.type) {
    case 'personal_token_created': {
      const { subject, label: token, expiresAt } = event
      return { kind: 'token_created', subject, token, expiresAt, ...where, ...browserOfCaller() }
    }
    case 'personal_token_expiring': {
      const { subject, label: token, expiresAt } = event
      return { kind: 'token_expiring', subject, token, expiresAt, ...where }
    }
    case 'grant_revoked': {
      const { clientId, subject, by, reason } = event
      // With a reason, the user or the app that stands for all tokens is gone.
      const isNews = clientId === PERSONAL_CLIENT_ID && by === 'operator' && reason === undefined
      return isNews && subject !== undefined ? { kind: 'token_ended', subject, ...where } : undefined
    }
    default:
      return undefined
  }
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer
}

const ADVICE = {
  password_by_user: 'byUser',
  password_by_mail: 'byUser',
  password_by_operator: 'byOperator',
  passkey_added: 'byUser',
  passkey_removed: 'byUser',
  identity_linked: 'byUser',
  identity_removed: 'byUser',
  account_admin_added: 'byOperator',
  passkey_required: 'byPasskey',
  request: 'byRequest',
  guesses: 'byGuessing',
  token_created: 'ofNewToken',
  token_expiring: 'ofOldToken',
  token_ended: 'ofEndedTokens',
} as const satisfies Record<keyof PageLanguage['mails']['news'], keyof PageLanguage['mails']>

/** The link has no token: whoever reads the mail signs in as always. Of the caller's address only the network is known. */
function mailAbout(
  { kind, at, token, expiresAt, provider, device, network, url }: News,
  { baseUrl, brand: { name: brand } }: Options['config'],
  language: PageLanguage,
): MailText {
  const { mails } = language
  const { title, what } = mails.news[kind]
  const browser = device && deviceText(language, device)
  const expires = expiresAt && minuteOf(expiresAt)
  const facts = { token, expires, provider, when: minuteOf(at), browser, network }
  const list = (['token', 'expires', 'provider', 'when', 'browser', 'network'] as const).flatMap((name) =>
    facts[name] === undefined ? [] : [`  ${mails[name]}: ${facts[name]}`],
  )
  const text = `${fillText(what, { brand, url: baseUrl })}

${list.join('\n')}

${mails[ADVICE[kind]]}

${url ?? `${baseUrl}/account`}
`
  return { subject: fillText(mails.subject, { title, brand }), text }
}

function minuteOf(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
