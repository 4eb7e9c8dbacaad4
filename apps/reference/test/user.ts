/** A user without a browser: follows redirects, keeps cookies and fills in forms as they are written. */
export interface User {
  /** Signs in if asked to, and answers the consent page; gives the address of the client's that it was sent to. */
  visit(authorizationUrl: string, answer?: Answer): Promise<URL>
}

interface Answer {
  readonly decision?: 'allow' | 'deny'
  /** Leaves these scopes unticked. */
  readonly without?: readonly string[]
}

export function user(baseUrl: string, email = 'demo@example.com', password = 'demo'): User {
  const cookies = new Map<string, string>()

  async function request(url: string, form?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form ? { method: 'POST', body: form } : {}),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }

  async function follow(response: Response, answer: Answer): Promise<URL> {
    const location = response.headers.get('location')
    if (location !== null) {
      const next = new URL(location, baseUrl)
      return next.href.startsWith(`${baseUrl}/`) ? follow(await request(next.href), answer) : next
    }
    const form = formIn(await response.text(), answer, { email, password })
    return follow(await request(new URL(form.action, baseUrl).href, form.fields), answer)
  }

  return { visit: async (url, answer = {}) => follow(await request(url), answer) }
}

function formIn(
  page: string,
  { decision = 'allow', without = [] }: Answer,
  credentials: Record<string, string>,
) {
  const action = decoded(/<form method="post" action="([^"]+)"/.exec(page)?.[1])
  if (action === '') throw new Error(`There is no form on this page: ${page.slice(page.indexOf('<main>'))}`)
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const ticked = [...page.matchAll(/<input type="checkbox" name="scope" value="([^"]+)" checked/g)]
  const fields = new URLSearchParams(
    hidden.map(([, name = '', value]): [string, string] => [name, decoded(value)]),
  )
  for (const [, scope = ''] of ticked) if (!without.includes(scope)) fields.append('scope', scope)
  if (page.includes('name="password"'))
    for (const [name, value] of Object.entries(credentials)) fields.set(name, value)
  else fields.set('decision', decision)
  return { action, fields }
}

function decoded(text = ''): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
