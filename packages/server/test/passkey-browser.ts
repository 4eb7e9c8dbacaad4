import type { SoftwareAuthenticator } from '@grantkit/test-servers/software-authenticator'

/** What a browser ended up with: a page of the server, or an address elsewhere. */
export interface Shown {
  readonly url: URL
  readonly status: number
  readonly body: string
}

type Fields = Readonly<Record<string, string>>

/** A browser at the pages of a server, whose user has a password and a passkey. It follows redirects within the server. */
export class PasskeyBrowser {
  readonly #baseUrl: string
  readonly #cookies = new Map<string, string>()

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  /** Has the cookies of another browser, as a thief. */
  take(other: PasskeyBrowser): void {
    for (const [name, value] of other.#cookies) this.#cookies.set(name, value)
  }

  async go(address: string, form?: Fields, headers: Fields = {}): Promise<Shown> {
    const url = new URL(address, this.#baseUrl)
    if (url.origin !== this.#baseUrl) return { url, status: 0, body: '' }
    const answer = await this.#send(url, form, headers)
    const location = answer.headers.get('location')
    if (location !== null) return this.go(new URL(location, url).href)
    return { url, status: answer.status, body: await answer.text() }
  }

  /** Sends the form of the page that has this field. */
  submit(page: Shown, field: string, filled: Fields, headers: Fields = {}): Promise<Shown> {
    const form = page.body.match(/<form[\s\S]*?<\/form>/g)?.find((each) => each.includes(`name="${field}"`))
    if (form === undefined) throw new Error(`No field ${field} on ${page.url}: ${page.body}`)
    const [, action = ''] = /action="([^"]+)"/.exec(form) ?? []
    const hidden = form.matchAll(/<input type="(?:hidden|checkbox)" name="([^"]+)"(?: value="([^"]*)")?/g)
    const fields = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, plain(value)]))
    return this.go(plain(action), { ...fields, ...filled }, headers)
  }

  byPassword(page: Shown): Promise<Shown> {
    return this.submit(page, 'password', { email: 'demo@example.com', password: 'demo' })
  }

  async byPasskey(page: Shown, { get }: SoftwareAuthenticator): Promise<Shown> {
    const { body } = await this.go('/login/passkey')
    return this.submit(page, 'answer', { answer: get(JSON.parse(body)) })
  }

  /** On the account page, right after a sign-in. */
  async addPasskey({ create }: SoftwareAuthenticator): Promise<Shown> {
    const page = await this.go('/account')
    const { body } = await this.go('/account/passkeys')
    return this.submit(page, 'answer', { answer: create(JSON.parse(body)), name: 'key' })
  }

  async #send(url: URL, form: Fields | undefined, headers: Fields): Promise<Response> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ')
    const sent = form && { method: 'POST', body: new URLSearchParams(form) }
    const answer = await fetch(url, { headers: { ...headers, cookie }, redirect: 'manual', ...sent })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return answer
  }
}

function plain(escaped: string): string {
  return escaped.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")
}
