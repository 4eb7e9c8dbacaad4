import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A mail as its server received it. */
export interface ReceivedMail {
  readonly to: string
  /** Headers and text, without the line breaks of its transfer encoding. */
  readonly content: string
}

export interface MailServer {
  readonly environment: { readonly MAIL_URL: string; readonly MAIL_FROM: string }
  readonly mails: ReceivedMail[]
  close(): Promise<void>
}

/** A real mail server on a free loopback port, which keeps what it gets. */
export async function runMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      text(stream).then((raw) => {
        mails.push({ to: envelope.rcptTo.map(({ address }) => address).join(), content: decoded(raw) })
        done()
      }, done)
    },
  })
  const listening = smtp.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  return {
    environment: { MAIL_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'School <no-reply@school.example>' },
    mails,
    close: () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  }
}

/** Quoted-printable (RFC 2045 6.7). */
function decoded(raw: string): string {
  const joined = raw.replaceAll('\r\n', '\n').replaceAll('=\n', '')
  return joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The address in the text of a mail. */
export function linkIn({ content }: ReceivedMail): string {
  return /^https?:\/\/\S+\/login\/reset\?\S+$/m.exec(content)?.[0] ?? ''
}
