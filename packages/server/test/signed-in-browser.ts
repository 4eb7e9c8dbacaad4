import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import {
  type Browser,
  formBrowser,
  type Send,
  type TestClientOptions,
  testClient,
} from '@grantkit/testkit/client'
import type { RunningServer } from './running-server.ts'

/** What a page shows, in its main part. */
interface SeenPage {
  readonly status: number
  readonly location: string | null
  /** Without markup. */
  readonly text: string
  readonly html: string
}

/** The browser of a user of `people.ts`, who has signed in. @param word of the account, which is its password too */
export async function browserOf({ baseUrl }: Pick<RunningServer, 'baseUrl'>, word: string) {
  const cookie = await sessionCookie(baseUrl, `${word}@example.com`, word)
  return async (
    path: string,
    more: Readonly<Record<string, string>> = {},
    form?: Readonly<Record<string, string>>,
  ): Promise<SeenPage> => {
    const sent = form && { method: 'POST', body: new URLSearchParams(form) }
    const page = await fetch(baseUrl + path, { headers: { cookie, ...more }, redirect: 'manual', ...sent })
    const html = await page.text()
    return { status: page.status, location: page.headers.get('location'), text: plain(html), html }
  }
}

/** An app and its user, who signs in by the pages. @param word of the account */
export function appOf(
  { baseUrl }: Pick<RunningServer, 'baseUrl'>,
  word: string,
  { send, ...options }: Pick<TestClientOptions, 'client' | 'metadata' | 'send'> = {},
) {
  return testClient(baseUrl, { ...options, send, browser: user(baseUrl, word, send) })
}

/** A user who signs in and answers on the pages. @param word of the account: its name and its password, or both with a colon between */
export function user(baseUrl: string, word = 'demo', send?: Send): Browser {
  const [name = '', password = name] = word.split(':')
  return formBrowser({ origin: baseUrl, typed: { email: `${name}@example.com`, password }, send })
}

/** A client that has registered itself, and its tokens. */
export interface SignedIn {
  readonly client_id: string
  readonly access_token: string
  readonly refresh_token: string
}

/** Registers a public client and gets its tokens. */
export async function signedIn(
  baseUrl: string,
  scope: string,
  resource?: string,
  word = 'demo',
  client_name = 'A tool',
): Promise<SignedIn> {
  const metadata = { client_name, redirect_uris: ['http://127.0.0.1:49200/callback'] }
  const app = await appOf({ baseUrl }, word, { metadata })
  const { access_token, refresh_token } = await app.tokens(scope, { resource })
  return { client_id: app.clientId, access_token, refresh_token }
}

function plain(page: string): string {
  const [main = page] = /<main[\s\S]*<\/main>/.exec(page) ?? []
  return main.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
}
