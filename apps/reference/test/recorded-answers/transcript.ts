/** The text of a request and its answer. */

export interface Ask {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

export function exchangeText({ method, path, headers = {}, body = '' }: Ask, answer: Answer): string {
  const asked = [`${method} ${path}`, ...Object.entries(headers).map(headerLine), ...linesOf(body)]
  const answered = [
    String(answer.status),
    ...[...answer.headers].map(headerLine),
    ...linesOf(readable(answer)),
  ]
  return [...asked.map((line) => `> ${line}`), ...answered.map((line) => `< ${line}`)].join('\n')
}

const headerLine = ([name, value]: [string, string]) => `${name}: ${value}`

function linesOf(body: string): string[] {
  return body === '' ? [] : body.trimEnd().split('\n')
}

/** JSON on many lines; the ETag in the headers still depends on every byte. */
function readable({ headers, body }: Answer): string {
  const isJson = body !== '' && headers.get('content-type')?.startsWith('application/json')
  return isJson ? jsonLines(JSON.parse(body)) : body
}

/** A value that fits on a line stays on one. */
function jsonLines(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= 110) return flat
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const items = Object.entries(value).map(([name, item]) => {
    const text = jsonLines(item, inner)
    return isList ? inner + text : `${inner}${JSON.stringify(name)}: ${text}`
  })
  return [isList ? '[' : '{', items.join(',\n'), indent + (isList ? ']' : '}')].join('\n')
}

/** Random values and values derived from them: credentials, sealed cookies and forms, tickets, ids. */
const KINDS = [
  /gk[acr]_[\w-]{22}(?:\.[\w-]+)+/,
  /eyJ[\w-]+\.[\w-]+\.[\w-]+/,
  /eyJ[\w-]+\.[\w-]{43}/,
  /[0-9]{10}\.[\w-]{22}\.[\w-]{43}(?![\w-])/,
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?!\w)/,
  /[0-9a-f]{32}(?!\w)/,
].map(({ source }) => source)
/** A URL inside another one has %3D instead of =. */
const RANDOM = new RegExp(`(?<=%3D|(?<!\\w))(?:${KINDS.join('|')})`, 'g')

export function withoutRandomness(text: string): string {
  const seen = new Map<string, string>()
  return text.replace(RANDOM, (found) => {
    const value = decodeURIComponent(found)
    const name = seen.get(value) ?? `{random ${seen.size + 1}}`
    seen.set(value, name)
    return name
  })
}
