import { createMails, type MailOptions } from '@grantkit/notifications'
import { browserOfCaller } from '../audit/caller.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import type { ServiceEvent } from '../events.ts'
import type { CreateCounter } from '../limits/counters.ts'
import type { ServiceContext } from '../service-context.ts'
import { mailSender } from '../sign-in/mail-sender.ts'
import { type FindAccount, type MailsOptions, personalTokenMails, type UserMails } from './token-mails.ts'

/** The context of a service whose users hear of changes of their accounts and of their tokens. */
export function withMails(context: ServiceContext, findAccount: FindAccount): ServiceContext {
  const { store, createCounter } = context.storage
  const outbox = { store, onEvent: context.onEvent, timers: context.delivers }
  const options = { ...context, findAccount, createCounter, outbox }
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
/** Of each kind that a stranger can cause. */
const OF_STRANGERS = { points: 1, seconds: DAY_SECONDS }

/**
 * Tells users how their account can be opened now, and that others guess at its password. A mail goes to a verified address
 * alone. It waits in the outbox, so no answer waits for it, and a command leaves it to the service. Absent if no mail server is
 * configured.
 */
export function accountMails(options: Options, sender = mailSender): AccountMails | undefined {
  const { config, createCounter, findAccount, onError } = options
  const { url, from } = config.mail
  if (url === undefined || from === undefined) return undefined
  const sendMail = sender({ url, from })
  const ofAccount = createCounter('account_mail', OF_ACCOUNT)
  const ofStrangers = createCounter('guesses_mail', OF_STRANGERS)
  const storing = new Set<Promise<void>>()
  const outbox = createMails<News>({
    ...options.outbox,
    share: ({ subject, kind }) => ({ subject, kind, isMinor: isByStranger(kind) }),
    send: (news) =>
      sendNow(news).catch((error: unknown) => {
        onError(error)
        throw error
      }),
    undelivered: ({ why, count }) =>
      onError(new Error(`${count} mails about accounts were not sent: ${why}`)),
  })

  async function sendNow(news: News): Promise<void> {
    const account = await findAccount(news.subject)
    if (account?.email === undefined || !account.email_verified) return
    await sendMail({ to: account.email, ...mailAbout(news, config) })
  }

  async function store(news: News): Promise<void> {
    const { kind, subject } = news
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
interface News extends Partial<ReturnType<typeof browserOfCaller>> {
  readonly kind: keyof typeof WORDS
  readonly subject: string
  /** Epoch seconds. */
  readonly at: number
  /** The host of a provider. */
  readonly provider?: string
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

const BY_USER = `If it was you, do nothing. If it was not you, somebody else can open your account: ask for a new password on the sign-in page,
remove the ways to sign in that you do not know, and sign out everywhere:`
const BY_OPERATOR = 'If you do not know why, ask the operator. This is your account:'
const BY_GUESSING = `For a while, browsers in which you have not signed in before have to wait. You can sign in at once in any other browser, with a
passkey, with a provider, or with the link that "Forgot your password?" sends. If you use your password elsewhere too, change it:`

const BY_PASSKEY = `The passkey of the account was missing, so nobody was signed in. If it was not you, somebody else has your password, or your account at
a provider: change it. This is your account:`

/** `what` ends before "your account". */
const WORDS = {
  password_by_user: ['Your password was changed', 'The password was changed for', BY_USER],
  password_by_mail: [
    'Your password was changed',
    'By the link in a mail, the password was changed for',
    BY_USER,
  ],
  password_by_operator: ['New password', 'An operator set a new password for', BY_OPERATOR],
  passkey_added: ['New passkey', 'A passkey was added to', BY_USER],
  passkey_removed: ['A passkey was removed', 'A passkey was removed from', BY_USER],
  identity_linked: ['New way to sign in', 'A provider was connected with', BY_USER],
  identity_removed: ['A way to sign in was removed', 'A provider was disconnected from', BY_USER],
  account_admin_added: ['You are an admin now', 'An operator gave the rights of an admin to', BY_OPERATOR],
  passkey_required: ['A sign-in was stopped', 'Somebody tried without a passkey to sign in to', BY_PASSKEY],
  guesses: ['Wrong passwords for your account', 'Somebody tries many wrong passwords for', BY_GUESSING],
} as const satisfies Record<string, readonly [title: string, what: string, advice: string]>

/** The link has no token: whoever reads the mail signs in as always. Of the caller's address only the network is known. */
function mailAbout(
  { kind, at, provider, device, network }: News,
  { baseUrl, brand: { name } }: MailsOptions['config'],
) {
  const [title, what, advice] = WORDS[kind]
  const When = `${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const lines = Object.entries({ Provider: provider, When, Browser: device, Network: network })
  const list = lines.flatMap(([label, value]) => (value === undefined ? [] : [`  ${label}: ${value}`]))
  const text = `${what} your account at ${name}, ${baseUrl}.

${list.join('\n')}

${advice}

${baseUrl}/account
`
  return { subject: `${title} at ${name}`, text }
}
