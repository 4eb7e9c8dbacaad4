import { createHmac, type KeyObject } from 'node:crypto'
import type { ServerSecret } from '@grantkit/core'
import { fillText } from '@grantkit/pages'
import * as z from 'zod'
import type { Accounts, StoredAccount } from '../accounts/accounts.ts'
import type { PasswordMailSent } from '../events.ts'
import { hmacKeys, signValue, verifyValue } from '../http/signed-value.ts'
import type { CreateCounter } from '../limits/counters.ts'
import { callerCounter } from '../limits/rate-limiter.ts'
import { mailSender } from './mail-sender.ts'

export const LINK_LIFETIME_SECONDS = 30 * 60
const LinkClaims = z.object({ sub: z.string(), state: z.string() })

/**
 * Tokens of links with which users set a new password. Nothing is stored: a token names its account, and is valid for
 * the sessions and the address that the account had. So it is void once any of them has changed, as with a new password, and of
 * two uses at the same time one changes the account.
 */
function passwordLinks(secret: ServerSecret, accounts: Pick<Accounts, 'find'>) {
  const keys = hmacKeys(secret, 'password link')
  return {
    tokenFor: (account: StoredAccount) =>
      signValue(keys, { sub: account.id, state: stateOf(keys[0], account) }, LINK_LIFETIME_SECONDS),
    /** The account of a valid token, as it is now. Changes nothing: mail scanners open links too. */
    async accountOf(token: string | undefined): Promise<StoredAccount | undefined> {
      const claims = verifyValue(keys, token, LinkClaims, LINK_LIFETIME_SECONDS)
      const account = claims && (await accounts.find(claims.sub))
      if (account === undefined || !mayResetByMail(account)) return undefined
      return keys.some((key) => stateOf(key, account) === claims?.state) ? account : undefined
    },
  }
}

/**
 * Whether the owner of the mailbox may set a new password: the address is known to belong to the user, and there is a
 * password to forget. Without one, the user signs in with a passkey or at a provider, which a mail must not bypass.
 */
function mayResetByMail({ email, email_verified, password }: StoredAccount): boolean {
  return email !== undefined && email_verified && password !== ''
}

/** Without the hash: a sign-in may replace it, and a new password has the next epoch. */
function stateOf(key: KeyObject, { sessionEpoch, email }: StoredAccount): string {
  const state = JSON.stringify([sessionEpoch, email])
  return createHmac('sha256', key).update(state).digest('base64url')
}

/** The texts of the mail, with `{brand}`, `{url}` and `{count}`, the minutes for which the link is valid. */
interface MailTexts {
  readonly tag: string
  readonly mails: { readonly reset: Readonly<Record<'subject' | 'what' | 'open' | 'ignore', string>> }
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

export type PasswordResets = NonNullable<ReturnType<typeof passwordResets>>

/** New passwords for users who forgot theirs, by a link in a mail. Absent if no mail server is configured. */
export function passwordResets(options: PasswordResetOptions) {
  const { url, from } = options.mail
  if (url === undefined || from === undefined) return undefined
  const { secret, accounts, createCounter, onEvent, onError } = options
  const send = mailSender({ url, from })
  const links = passwordLinks(secret, accounts)
  const networks = callerCounter(createCounter, 'password_mail_network', OF_NETWORK)
  const ofAccount = createCounter('password_mail_account', OF_ACCOUNT)

  async function sendIfKnown(email: string, texts: MailTexts): Promise<void> {
    const id = await accounts.idOf(email)
    const account = id === undefined ? undefined : await accounts.find(id)
    if (account?.email === undefined || !mayResetByMail(account)) return
    if ((await ofAccount.take(account.id)) > 0) return
    await send({ to: account.email, ...mailWith(links.tokenFor(account), options, texts) })
    onEvent({ type: 'password_mail_sent', subject: account.id })
  }

  return {
    accountOf: links.accountOf,
    /** Counts a request for its network, and returns the seconds to wait; 0 if it may be made. */
    waitOfNetwork: (address: string | undefined) => networks.take(address ?? 'unknown'),
    /** Returns at once, and sends a mail later if the address is that of an account that may reset its password. */
    request(email: string, texts: MailTexts): void {
      // Later, so that the response takes as long for an unknown address.
      setImmediate(() => void sendIfKnown(email, texts).catch(onError))
    },
  }
}

/** The link begins with the configured base URL: the Host header of the request may be anything. */
function mailWith(
  token: string,
  { name: brand, baseUrl }: PasswordResetOptions,
  { tag, mails: { reset } }: MailTexts,
) {
  const values = { brand, url: baseUrl, count: String(LINK_LIFETIME_SECONDS / MINUTE) }
  const text = `${fillText(reset.what, values)}

${fillText(reset.open, values)}

${baseUrl}/login/reset?${new URLSearchParams({ token, ui_locales: tag })}

${reset.ignore}
`
  return { subject: fillText(reset.subject, values), text }
}
