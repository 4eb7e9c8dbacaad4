import type { Send } from '@grantkit/testkit/client'
import { schoolConfig } from '../../src/config.ts'
import { createService } from '../../src/service.ts'
import { inProcess } from '../in-process.ts'
import { storageOfTest } from '../storage-of-test.ts'

export const BASE_URL = 'http://127.0.0.1:3000'

interface Sent {
  readonly form?: Record<string, string> | [string, string][]
  readonly json?: unknown
  readonly headers?: Record<string, string>
}

/** A browser or a client of the service without a framework. It keeps cookies and records answers. */
export interface Visitor {
  ask(title: string, method: string, path: string, sent?: Sent): Promise<string>
  /** Sends without cookies and without recording. */
  readonly send: Send
  readonly text: () => string
}

export async function newVisitor(): Promise<Visitor> {
  const config = schoolConfig({ BASE_URL, SECRET: 'a secret of the tests, long enough to pass' })
  const deaf = { onEvent: () => {}, onError: () => {} }
  const handle = inProcess(await createService(config, deaf, await storageOfTest()))
  const cookies = new Map<string, string>()
  const sections: string[] = []

  function answerTo(url: string, method: string, headers: object, body: string): Promise<Response> {
    const whole = { host: new URL(BASE_URL).host, ...headers }
    return handle(new Request(url, { method, headers: whole, ...(body === '' ? {} : { body }) }))
  }
  return {
    async ask(title, method, path, { form, json, headers = {} } = {}) {
      const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json'
      const body = json === undefined ? String(new URLSearchParams(form)) : JSON.stringify(json)
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const own = { ...(cookie === '' ? {} : { cookie }), ...(body === '' ? {} : { 'content-type': type }) }
      const answer = await answerTo(BASE_URL + path, method, { ...own, ...headers }, body)
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      const text = await answer.text()
      const fields = [...answer.headers].map(([name, value]) => `${name}: ${value}`)
      sections.push([`# ${title}`, `${method} ${path}`, answer.status, ...fields, text].join('\n').trimEnd())
      return text
    },
    async send(url, { method, headers, body }) {
      const answer = await answerTo(url, method, headers, body)
      const fields = { ...Object.fromEntries(answer.headers), 'set-cookie': answer.headers.getSetCookie() }
      return { status: answer.status, headers: fields, body: await answer.text() }
    },
    text: () => withoutRandomness(withoutLook(`${sections.join('\n\n')}\n`)),
  }
}

/** Style and logo are the same on every page. */
function withoutLook(text: string): string {
  return text.replace(/(?<=<style>).*?(?=<\/style>)|(?<=base64,|'sha256-)[\w+/=]+/gs, '…')
}

/** Credentials, references of sign-in attempts, signed cookies and forms, tickets, ids, and the ETags of documents. */
const KINDS = [
  /gk[acr]_[\w-]{22}(?:\.[\w-]+)+/,
  /eyJ[\w-]+(?:\.[\w-]+)+/,
  /[0-9A-Z]{4}-[0-9A-Z]{4}(?![\w-])/,
  /[0-9]{10}\.[\w-]{22}\.[\w-]{43}(?![\w-])/,
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?!\w)/,
  /[0-9a-f]{32}(?!\w)/,
  /"[\w-]{43}"/,
].map(({ source }) => source)
/** A URL inside another one has %3D instead of =. */
const RANDOM = new RegExp(`(?<=%3D|(?<!\\w))(?:${KINDS.join('|')})`, 'g')

/** The end of the name of a cookie for what a browser has begun. */
const FLOW = /(?<=^set-cookie: [\w-]+)\.[\w-]{8}(?==)/gm

function withoutRandomness(text: string): string {
  const seen: string[] = []
  return text.replace(FLOW, '.…').replace(RANDOM, (found) => {
    const value = decodeURIComponent(found)
    if (!seen.includes(value)) seen.push(value)
    return `{random ${seen.indexOf(value) + 1}}`
  })
}
