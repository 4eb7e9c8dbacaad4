/** The URLs of databases, stores and mail servers, whose passwords are never printed. */

/** `postgres://db/auth?password=…`, `smtp://mail?pass=…`, `?sslpassword=…`. */
const SECRET_MEMBER = /pass|pwd|secret|token|^(tls\.)?key$/i
const WITHOUT_HOST = /^(sqlite|memory):/

/** Whether a URL has a password: before the host, or in its query. A text that is no URL has one if it may contain one. */
export function hasPassword(url: string): boolean {
  if (WITHOUT_HOST.test(url)) return false
  const parsed = parsedUrl(url)
  if (parsed === undefined ? /:[^@]+@/.test(url) : parsed.password !== '') return true
  const [, ...members] = url.split(/[?&#;]/)
  return members.some((member) => {
    const [[name, value] = ['', '']] = new URLSearchParams(member)
    return value !== '' && SECRET_MEMBER.test(name)
  })
}

/** What anybody may read: it says whether the connection is secure. */
const TLS_MODE = /^(disable|allow|prefer|require|verify-ca|verify-full|no-verify)$/

/** `postgres://me:***@db/auth?sslmode=require&host=***`. What cannot be parsed keeps its scheme only. */
export function masked(url: string): string {
  if (WITHOUT_HOST.test(url)) return url
  const parsed = parsedUrl(url)
  if (parsed === undefined) return url.replace(/^([\w+.-]+:\/\/)?.*$/s, '$1***')
  const [place = ''] = url.split('?')
  const members = [...parsed.searchParams].map(([name, value]) =>
    name === 'sslmode' && TLS_MODE.test(value) ? `sslmode=${value}` : `${name}=***`,
  )
  const query = members.length === 0 ? '' : `?${members.join('&')}`
  return place.replace(/(\/\/[^/@:]*):[^/@]*@/, '$1:***@') + query
}

/**
 * Whether a user or password has a character that must be percent-encoded, so that a part of it would be taken for the
 * host, and be printed as one. A Postgres URL may lack the host.
 */
export function needsEncoding(url: string): boolean {
  return /^(?!sqlite)[\w+.-]+:\/\//.test(url) && parsedUrl(url.replace(/@(?=[/?]|$)/, '@host')) === undefined
}

/** Masks every URL in a text. */
export function withMaskedUrls(text: string): string {
  return text.replace(/[\w+.-]+:\/\/[^\s"'`]+/g, masked)
}

/**
 * `undefined` for what is no URL of a host, and where an `@` after the host shows that a password has a character that
 * must be encoded. Of several hosts, only the first is parsed.
 */
function parsedUrl(url: string): URL | undefined {
  const first = url.replace(/,[^@/?#]*(?=[/?#]|$)/, '')
  if (!/^[\w+.-]+:\/\//.test(url) || !URL.canParse(first)) return undefined
  const parsed = new URL(first)
  return /[@#]/.test(parsed.pathname + parsed.search + parsed.hash) ? undefined : parsed
}
