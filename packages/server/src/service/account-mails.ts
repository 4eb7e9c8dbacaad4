import { createMails, type MailOptions } from '@grantkit/notifications'
import { fillText } from '@grantkit/pages'
import { type BrowserOfCaller, browserOfCaller } from '../audit/caller.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import type { ServiceEvent } from '../events.ts'
import type { CreateCounter } from '../limits/counters.ts'
import { deviceText, type PageLanguage } from '../pages/page-language.ts'
import type { ServiceContext } from '../service-context.ts'
import { type MailText, mailSender } from '../sign-in/mail-sender.ts'
import { type MailsOptions, mailTo, personalTokenMails, type Readers, type UserMails } from './token-mails.ts'

/** The context of a service whose users hear of changes of their accounts and of their tokens. */
export function withMails(context: ServiceContext, readers: Readers): ServiceContext {
  const { store, createCounter } = context.storage
  const outbox = { store, onEvent: context.onEvent, timers: context.delivers }
  const options = { ...context, readers, createCounter, outbox }
  const all = [accountMails(options), personalTokenMails(options)].filter((mails) => mails !== undefined)
  return {
    ...context,
    onEvent(event) {
      context.onEvent(event)
      for (const mails of all) mails.onEvent(event)
    },
    async settled() {
      await Promise.all(all.map((mails) => mails.settled()))
      await context.settled()
    },
  }
}

interface Options extends MailsOptions {
  readonly createCounter: CreateCounter
  readonly outbox: Omit<MailOptions<News>, 'send' | 'undelivered'>
}

interface AccountMails extends UserMails {
  /** Sends what is due now. Timers do it. */
  deliver(): Promise<void>
}

/** To one account. Who changes more than that has been told often enough. */
const OF_ACCOUNT = { points: 10, seconds: DAY_SECONDS }
/** A client may ask ten times an hour, and several may. */
const OF_REQUESTS = { points: 20, seconds: 3600 }
/** Of each kind that a stranger can cause. */
const OF_STRANGERS = { points: 1, seconds: DAY_SECONDS }

/**
 * Tells users how their account can be opened now, that others guess at its password, and that a client asks them. A mail goes to a verified address
 * alone. It waits in the outbox, so no answer waits for it, and a command leaves it to the service. Absent if no mail server is
 * configured.
 */
export function accountMails(options: Options, sender = mailSender): AccountMails | undefined {
  const { config, createCounter, readers, onError } = options
  const { url, from } = config.mail
  if (url === undefined || from === undefined) return undefined
  const sendMail = sender({ url, from })
  const ofAccount = createCounter('account_mail', OF_ACCOUNT)
  const ofStrangers = createCounter('guesses_mail', OF_STRANGERS)
  const ofRequests = createCounter('request_mail', OF_REQUESTS)
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
    if (kind === 'request') {
      if ((await ofRequests.take(subject)) === 0) await outbox.add(news)
      return
    }
    if (isByStranger(kind) && (await ofStrangers.take(`${kind} ${subject}`)) > 0) return
    if ((await ofAccount.take(subject)) === 0) await outbox.add(news)
  }

  return {
    onEvent(event) {
      const news = newsOf(event)
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
  /** What waits for the user, and until when, in epoch seconds. Default: the account page, and no end. */
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
} as const satisfies Record<keyof PageLanguage['mails']['news'], keyof PageLanguage['mails']>

/** The link has no token: whoever reads the mail signs in as always. Of the caller's address only the network is known. */
function mailAbout(
  { kind, at, provider, device, network, url }: News,
  { baseUrl, brand: { name: brand } }: MailsOptions['config'],
  language: PageLanguage,
): MailText {
  const { mails } = language
  const { title, what } = mails.news[kind]
  const when = `${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const facts = { provider, when, browser: device && deviceText(language, device), network }
  const list = (['provider', 'when', 'browser', 'network'] as const).flatMap((name) =>
    facts[name] === undefined ? [] : [`  ${mails[name]}: ${facts[name]}`],
  )
  const text = `${fillText(what, { brand, url: baseUrl })}

${list.join('\n')}

${mails[ADVICE[kind]]}

${url ?? `${baseUrl}/account`}
`
  return { subject: fillText(mails.subject, { title, brand }), text }
}
