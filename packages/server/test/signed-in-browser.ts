import { formBrowser, type TestClientOptions, testClient } from '@grantkit/testkit/client'
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
  const login = await fetch(`${baseUrl}/login`)
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(await login.text()) ?? []
  const body = new URLSearchParams({ token, email: `${word}@example.com`, password: word })
  const headers = { cookie: cookieIn(login) }
  const cookie = cookieIn(
    await fetch(`${baseUrl}/login`, { method: 'POST', redirect: 'manual', headers, body }),
  )
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
  const typed = { email: `${word}@example.com`, password: word }
  const browser = formBrowser({ origin: baseUrl, typed, send })
  return testClient(baseUrl, { ...options, send, browser })
}

function cookieIn(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

function plain(page: string): string {
  const [main = page] = /<main[\s\S]*<\/main>/.exec(page) ?? []
  return main.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
}
