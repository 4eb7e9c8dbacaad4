import type { HttpAnswer } from '../client/http-answer.ts'
import type { HttpRequest, Transport } from '../client/transport.ts'
import { formOf } from './form.ts'
import { NoApproval } from './no-approval.ts'

export interface BrowserOptions {
  readonly transport: Transport
  readonly redirectUri: string
  /** Of a session that is signed in. */
  readonly cookie?: string | undefined
  /** What the user types into the sign-in form, by the name of the field. */
  readonly typed?: Readonly<Record<string, string>> | undefined
}

const MAX_PAGES = 12

/** A user without a person: keeps cookies, follows redirects at the host of the server, and sends the forms that it shows. */
export function browser({ transport, redirectUri, cookie, typed = {} }: BrowserOptions) {
  const cookies = new Map(pairsOf(cookie ?? ''))

  async function visit(request: HttpRequest): Promise<HttpAnswer> {
    const header = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const { answer } = await transport.send({ ...request, headers: { ...request.headers, cookie: header } })
    if (answer === undefined) throw new NoApproval(`Nothing answers at ${pageOf(request.url)}.`)
    for (const line of answer.headers['set-cookie'] ?? [])
      for (const [name, value] of pairsOf(line.split(';', 1)[0] ?? '')) cookies.set(name, value)
    return answer
  }

  return async (url: string): Promise<string> => {
    const { host } = new URL(url)
    let request: HttpRequest = { method: 'GET', url }
    for (let page = 0; page < MAX_PAGES; page++) {
      const next = nextOf(request.url, await visit(request), typed)
      if (next.url.startsWith(redirectUri)) return next.url
      if (new URL(next.url).host !== host) throw new NoApproval(`The user is sent to ${pageOf(next.url)}.`)
      request = next
    }
    throw new NoApproval(`The user sees more than ${MAX_PAGES} pages.`)
  }
}

function nextOf(
  url: string,
  { status, headers, body }: HttpAnswer,
  typed: Readonly<Record<string, string>>,
): HttpRequest {
  if (status >= 300 && status < 400 && headers.location !== undefined)
    return { method: 'GET', url: new URL(headers.location, url).href }
  const form = formOf(body, typed)
  if (form === undefined)
    throw new NoApproval(`${pageOf(url)} answers ${status}, without a form that goes on.`)
  const fields = String(
    new URLSearchParams(form.fields.map(([name, value]): [string, string] => [name, value])),
  )
  const action = new URL(form.action, url)
  if (form.method === 'GET') {
    action.search = fields
    return { method: 'GET', url: action.href }
  }
  const type = { 'content-type': 'application/x-www-form-urlencoded', origin: action.origin }
  return { method: 'POST', url: action.href, headers: type, body: fields }
}

/** Without its query, which may have a secret. */
function pageOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

function pairsOf(header: string): readonly (readonly [string, string])[] {
  return header
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.includes('='))
    .map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)] as const)
}
