import type { Command, Task, Visit } from './browser-steps.ts'

/**
 * Does what the suite's browser does by its steps, one page after the other. It reads the commands that our steps use, knows as
 * much of CSS, and of all scripts the one that sends the form of its page.
 */
export class StepsBrowser {
  readonly #visits: { visit: Visit; left: number }[]
  readonly #origin: string
  readonly #cookies = new Map<string, string>()
  readonly #typed = new Map<string, string>()
  #address = ''
  #html = ''

  /** @param origin of the service: addresses elsewhere are not requested */
  constructor(origin: string, visits: readonly Visit[]) {
    this.#origin = origin
    this.#visits = visits.map((visit) => ({ visit, left: visit['match-limit'] ?? Number.POSITIVE_INFINITY }))
  }

  /** @returns the address at the end. @throws Error that names the task that cannot be done */
  async visit(url: string): Promise<string> {
    const found = this.#visits.find(({ visit, left }) => left > 0 && matches(visit.match, url))
    if (found === undefined) throw new Error(`No steps for ${url}`)
    found.left -= 1
    await this.#request(url)
    for (const task of found.visit.tasks) await this.#perform(task)
    return this.#address
  }

  async #perform({ task, match, optional, commands = [] }: Task): Promise<void> {
    if (!matches(match, this.#address)) {
      if (optional) return
      throw new Error(`${task}: at ${this.#address}`)
    }
    for (const command of commands) await this.#command(command, task)
  }

  async #command([name, kind, target, ...more]: Command, task: string): Promise<void> {
    if (name === 'text') this.#typed.set(target, String(more[0]))
    else if (name === 'click') await this.#click(target, more[0] === 'optional', task)
    else if (kind === 'xpath') this.#expectText(String(more[1]), task)
    // The other one waits for an element of the suite.
    else if (this.#address.startsWith(this.#origin)) throw new Error(`${task}: at ${this.#address}`)
  }

  #expectText(text: string, task: string): void {
    if (!this.#main().includes(text)) throw this.#missing(text, task)
  }

  /** What a person sees of the page. */
  #main(): string {
    return elements(this.#html, 'main')[0]?.content ?? ''
  }

  #missing(what: string, task: string): Error {
    return new Error(`${task}: no ${what} at ${this.#address}\n${this.#main()}`)
  }

  async #click(css: string, optional: boolean, task: string): Promise<void> {
    const [button = '', form = 'form'] = css.split(' ').reverse()
    for (const { tag, content } of elements(this.#html, 'form')) {
      const pressed = elements(content, 'button').find(({ tag }) => selects(button, tag))
      if (selects(form, tag) && pressed !== undefined) return this.#submit(tag, content, pressed.tag)
    }
    if (!optional) throw this.#missing(css, task)
  }

  async #submit(form: string, content: string, button: string): Promise<void> {
    const body = new URLSearchParams()
    const inputs = [...content.matchAll(/<input[^>]*>/g)].map(([tag]) => tag)
    for (const tag of [...inputs, button]) {
      const name = attribute(tag, 'name')
      if (name === undefined || (/type="checkbox"/.test(tag) && !/\bchecked\b/.test(tag))) continue
      body.append(name, this.#typed.get(name) ?? attribute(tag, 'value') ?? '')
    }
    await this.#request(new URL(attribute(form, 'action') ?? '', this.#address).href, body)
  }

  async #request(url: string, body?: URLSearchParams): Promise<void> {
    this.#address = url
    if (!url.startsWith(`${this.#origin}/`)) return
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const init = body === undefined ? {} : { method: 'POST', body }
    const answer = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    this.#html = await answer.text()
    const location = answer.headers.get('location')
    if (location !== null) await this.#request(new URL(location, url).href)
    const [form] = elements(this.#html, 'form')
    if (form !== undefined && this.#html.includes('document.forms[0].submit()'))
      await this.#submit(form.tag, form.content, '')
  }
}

/** `*` stands for any text. */
function matches(pattern: string, url: string): boolean {
  const literal = pattern.replaceAll(/[.?+^$()[\]{}|\\]/g, '\\$&')
  return new RegExp(`^${literal.replaceAll('*', '.*')}$`).test(url)
}

function elements(html: string, name: string): { tag: string; content: string }[] {
  const found = html.matchAll(new RegExp(`(<${name}\\b[^>]*>)(.*?)</${name}>`, 'gs'))
  return [...found].map(([, tag = '', content = '']) => ({ tag, content }))
}

/** A tag name with classes and attributes. */
function selects(selector: string, tag: string): boolean {
  const classes = [...selector.replaceAll(/\[.*?\]/g, '').matchAll(/\.([\w-]+)/g)].map(
    ([, name = '']) => name,
  )
  const attributes = [...selector.matchAll(/\[([\w-]+)="([^"]*)"\]/g)]
  return (
    classes.every((name) => (attribute(tag, 'class') ?? '').split(' ').includes(name)) &&
    attributes.every(([, name = '', value]) => attribute(tag, name) === value)
  )
}

const attribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&')
