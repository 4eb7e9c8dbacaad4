import type { TestProvider } from '@grantkit/testkit/provider'

/** A page of the service, as its browser has it. */
interface Page {
  readonly status: number
  readonly text: string
  /** Where it leads: a redirect, or a refresh. */
  readonly leadsTo: string
}

type Fields = Readonly<Record<string, string>>

/**
 * A browser with its cookies, which goes to a provider and comes back. As a browser it sends no cookie with the POST of another site,
 * because all cookies of the service are `SameSite=Lax`.
 */
export function providerVisitor(baseUrl: string) {
  const cookies = new Map<string, string>()

  async function request(path: string, fields?: Fields, fromSite = 'same-origin'): Promise<Page> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const sent = fromSite === 'same-origin' ? { cookie } : {}
    const response = await fetch(new URL(path, baseUrl), {
      method: fields === undefined ? 'GET' : 'POST',
      headers: { 'sec-fetch-site': fromSite, ...sent },
      redirect: 'manual',
      ...(fields && { body: new URLSearchParams(fields) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const refresh = response.headers.get('refresh')?.replace(/^0;url=/, '')
    return {
      status: response.status,
      text: await response.text(),
      leadsTo: response.headers.get('location') ?? refresh ?? '',
    }
  }

  /** Submits the form of a page with this action, and with these fields where they are hidden. */
  function submit({ text }: Page, action: string, typed: Fields = {}): Promise<Page> {
    const forms = [...text.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)]
    const found = forms
      .filter(([, to]) => to === action)
      .map(([, , form = '']) => fieldsOf(form))
      .find((fields) => Object.entries(typed).every(([name, value]) => (fields[name] ?? value) === value))
    if (found === undefined) throw new Error(`${shown(text)} has no form of ${action}`)
    return request(action, { ...found, ...typed })
  }

  return {
    visit: (path: string) => request(path),
    submit,
    /** The user at the provider, and the way back. @param begun leads to the provider */
    async comeBack(op: TestProvider, begun: Page): Promise<Page> {
      if (!begun.leadsTo.startsWith('https://')) throw new Error(`${shown(begun.text)} leads to no provider`)
      const response = await op.visit(begun.leadsTo)
      const target = response.headers.get('location')
      if (target !== null) return request(target)
      const form = await response.text()
      const [, action = ''] = / action="([^"]*)"/.exec(form) ?? []
      const between = await request(action, fieldsOf(form), 'cross-site')
      return request(action, fieldsOf(between.text))
    },
  }
}

function shown(page: string): string {
  const parts = [/<h1>(.*?)<\/h1>/s, /role="alert">([^<]*)/].map((part) => part.exec(page)?.[1] ?? '')
  return `The page "${parts.join(' ').trim()}"`
}

/** The hidden fields. */
function fieldsOf(form: string): Fields {
  const inputs = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  return Object.fromEntries(inputs.map(([, name, value = '']) => [name, unescaped(value)]))
}

function unescaped(text: string): string {
  const named: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>' }
  return text.replace(/&(?:#(\d+)|(\w+));/g, (all, code, name) =>
    code === undefined ? (named[name] ?? all) : String.fromCharCode(Number(code)),
  )
}
