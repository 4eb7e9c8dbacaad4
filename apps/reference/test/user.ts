import { type Browser, formBrowser } from '@grantkit/testkit/client'

/** A simulated user, who signs in and answers on the pages of the service. */
export function user(baseUrl: string, email = 'demo@example.com', password = 'demo'): Browser {
  return formBrowser({ origin: baseUrl, typed: { email, password } })
}

/**
 * The session cookie of a user who has just signed in, for requests that no browser would send.
 *
 * @param before the session cookie that the browser had
 */
export async function sessionCookie(
  baseUrl: string,
  email = 'demo@example.com',
  password = 'demo',
  before = '',
): Promise<string> {
  const login = await fetch(`${baseUrl}/login`)
  const cookie = `${before}; ${firstCookie(login)}`
  const token = /name="token" value="([^"]+)"/.exec(await login.text())?.[1] ?? ''
  const body = new URLSearchParams({ token, email, password })
  return firstCookie(
    await fetch(`${baseUrl}/login`, { method: 'POST', redirect: 'manual', headers: { cookie }, body }),
  )
}

function firstCookie({ headers }: Response): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}
