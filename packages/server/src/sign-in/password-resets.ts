import type { ServerSecret } from '@grantkit/core'
import type { Accounts } from '../accounts/accounts.ts'
import type { PasswordMailSent } from '../events.ts'
import type { CreateCounter } from '../limits/counters.ts'
import { callerCounter } from '../limits/rate-limiter.ts'
import { mailSender } from '../mail/mail-sender.ts'
import { LINK_LIFETIME_SECONDS, mayResetByMail, type PasswordLinks, passwordLinks } from './password-links.ts'

/** New passwords for users who forgot theirs, by a link in a mail. */
export interface PasswordResets {
  /** Counts a request for its network, and returns the seconds to wait; 0 if it may be made. */
  waitOfNetwork(address: string | undefined): Promise<number>
  /** Returns at once, and sends a mail later if the address is that of an account that may reset its password. */
  request(email: string): void
  readonly accountOf: PasswordLinks['accountOf']
}

export interface PasswordResetOptions {
  readonly mail: { readonly url?: string | undefined; readonly from?: string | undefined }
  /** The name of the service. */
  readonly name: string
  readonly baseUrl: string
  readonly secret: ServerSecret
  readonly accounts: Accounts
  readonly createCounter: CreateCounter
  readonly onEvent: (event: PasswordMailSent) => void
  readonly onError: (error: unknown) => void
}

const MINUTE = 60
const OF_NETWORK = { points: 20, seconds: 15 * MINUTE }
/** More mails would only annoy: the links of the first ones are still valid. */
const OF_ACCOUNT = { points: 3, seconds: LINK_LIFETIME_SECONDS }

/** Absent if no mail server is configured. */
export function passwordResets(options: PasswordResetOptions): PasswordResets | undefined {
  const { url, from } = options.mail
  if (url === undefined || from === undefined) return undefined
  const { secret, accounts, createCounter, onEvent, onError } = options
  const send = mailSender({ url, from })
  const links = passwordLinks(secret, accounts)
  const networks = callerCounter(createCounter, 'password_mail_network', OF_NETWORK)
  const ofAccount = createCounter('password_mail_account', OF_ACCOUNT)

  async function sendIfKnown(email: string): Promise<void> {
    const id = await accounts.idOf(email)
    const account = id === undefined ? undefined : await accounts.find(id)
    if (account?.email === undefined || !mayResetByMail(account)) return
    if ((await ofAccount.take(account.id)) > 0) return
    await send({ to: account.email, ...mailWith(links.tokenFor(account), options) })
    onEvent({ type: 'password_mail_sent', subject: account.id })
  }

  return {
    accountOf: links.accountOf,
    waitOfNetwork: (address) => networks.take(address ?? 'unknown'),
    request(email) {
      // Later, so that the response takes as long for an unknown address.
      setImmediate(() => void sendIfKnown(email).catch(onError))
    },
  }
}

/** The link begins with the configured base URL: the Host header of the request may be anything. */
function mailWith(token: string, { name, baseUrl }: PasswordResetOptions) {
  const text = `A new password was requested for your account at ${name}, ${baseUrl}.

If it was you, open this link within ${LINK_LIFETIME_SECONDS / MINUTE} minutes and choose a new password. The link works once.

${baseUrl}/login/reset?${new URLSearchParams({ token })}

If it was not you, do nothing: your password stays as it is. Do not share the link.
`
  return { subject: `New password for ${name}`, text }
}
