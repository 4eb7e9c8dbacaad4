import { type Received, rawRequest, type Sent } from '@grantkit/test-servers/raw-request'

/** Not `fetch`, whose headers reveal that it is no browser. */
const IN_A_WINDOW = {
  accept: 'text/html,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}

/**
 * A browser in front of an app: keeps its cookies, follows its redirects, and presses the button of a page with a form.
 *
 * @returns asks for an address; its result is the first answer that leads nowhere, or away from the app
 */
export function visitor(origin: string) {
  const cookies = new Map<string, string>()
  const app = { port: Number(new URL(origin).port), baseUrl: origin }

  return async function visit(url: string, sent: Partial<Sent> = {}): Promise<Received> {
    const { pathname, search } = new URL(url)
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { ...IN_A_WINDOW, cookie }
    const answer = await rawRequest(app, { ...sent, path: `${pathname}${search}`, headers })
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const next = new URL(answer.headers.location ?? '', url)
    if (answer.headers.location !== undefined) return next.origin === origin ? visit(next.href) : answer
    const [, action] = /<form action="([^"]+)" method="POST">/.exec(answer.body) ?? []
    return action === undefined ? answer : visit(new URL(action, url).href, pressed(answer.body))
  }
}

function pressed(page: string): Partial<Sent> {
  const fields = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  return { method: 'POST', form: [...fields].map(([, name = '', value = '']) => [name, value]) }
}
