import pLimit from 'p-limit'

export interface MailOptions {
  /** `smtps://user:password@mail.example`, or `smtp://`, which changes to TLS if the server offers it. */
  readonly url: string
  /** The sender: an address, or a name and an address. */
  readonly from: string
}

export interface MailText {
  readonly subject: string
  readonly text: string
}

interface Mail extends MailText {
  readonly to: string
}

/** @throws Error that names no address and no credential, when the mail server does not accept the mail */
export type SendMail = (mail: Mail) => Promise<void>

const TIMES_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
const AT_A_TIME = 4
const MAX_WAITING = 200

/** Sends by SMTP. Nodemailer is loaded with the first mail. */
export function mailSender({ url, from }: MailOptions): SendMail {
  const turns = pLimit(AT_A_TIME)
  return async ({ to, subject, text }) => {
    if (turns.pendingCount >= MAX_WAITING) throw new Error('The mail server is too slow: a mail was dropped.')
    await turns(async () => {
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({ url, requireTLS: needsTls(url), ...TIMES_MS })
      // An object: text would be parsed, and may name several addresses.
      const recipient = { name: '', address: to }
      const headers = { 'Auto-Submitted': 'auto-generated' }
      await transport.sendMail({ from, to: recipient, subject, text, headers }).catch(failed)
    })
  }
}

/** A password goes to no other machine in clear text. */
function needsTls(url: string): boolean {
  const { protocol, hostname, username } = new URL(url)
  return protocol === 'smtp:' && username !== '' && !LOOPBACK.test(hostname)
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** The message of Nodemailer can have the address, and what the server said about it. */
function failed(error: { readonly code?: string; readonly responseCode?: number }): never {
  throw new Error(`The mail server did not accept a mail: ${error.code} ${error.responseCode ?? ''}`.trim())
}
