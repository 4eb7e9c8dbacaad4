/**
 * The session cookie of a user who has just signed in by the pages, for requests that no browser would send.
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
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(await login.text()) ?? []
  const headers = { cookie: `${before}; ${firstCookie(login)}` }
  const body = new URLSearchParams({ token, email, password })
  return firstCookie(await fetch(`${baseUrl}/login`, { method: 'POST', redirect: 'manual', headers, body }))
}

function firstCookie({ headers }: Response): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}
