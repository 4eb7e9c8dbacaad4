/** A browser as far as the pages of a peer need one: it keeps cookies and sends forms, but follows no redirect by itself. */
export class Browser {
  readonly #cookies = new Map<string, string>()
  readonly #origin: string

  constructor(origin: string) {
    this.#origin = origin
  }

  /** For a header. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** @param form its fields, sent by POST */
  async open(address: string, form?: Record<string, string>): Promise<Page> {
    const url = new URL(address, this.#origin)
    const sent = form && { method: 'POST', body: new URLSearchParams(form) }
    const answer = await fetch(url, { ...sent, redirect: 'manual', headers: { cookie: this.cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return {
      status: answer.status,
      location: answer.headers.get('location') ?? '',
      text: await answer.text(),
    }
  }

  /** Follows redirects until a page comes, or the address of a client. */
  async follow(address: string, form?: Record<string, string>): Promise<Page> {
    const page = await this.open(address, form)
    const isHere = page.location.startsWith('/') || page.location.startsWith(this.#origin)
    return isHere ? this.follow(page.location) : page
  }
}

interface Page {
  readonly status: number
  /** Of a redirect; otherwise empty. */
  readonly location: string
  readonly text: string
}

/** Where the form of a page is sent. */
export function actionOf(page: string): string {
  return (/<form[^>]* action="([^"]+)"/.exec(page)?.[1] ?? '').replaceAll('&amp;', '&')
}
