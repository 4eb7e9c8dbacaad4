import { type HttpRequest, header } from '../http/http.ts'

/** Where issuers are, and which one a request is for. */
export interface IssuerAddresses {
  /** The key of the issuer, from the address alone: all else in a request is for its sender to choose. */
  keyOf(request: HttpRequest): string | undefined
  /** The key that a request to this URL has. */
  keyIn(url: string): string | undefined
  /** What is mounted: these paths from the root of the host, and all below them. */
  readonly paths: readonly string[]
}

const DOCUMENTS = ['oauth-authorization-server', 'openid-configuration', 'oauth-protected-resource'].map(
  (name) => `/.well-known/${name}`,
)

/**
 * Issuers at paths of one host. The segment after `base` is the key.
 *
 * @param base `/t` for `https://auth.example/t/a`
 * @throws Error for another form
 */
export function byPath(base: string): IssuerAddresses {
  if (!/^(\/[\w.~-]+)+$/.test(base)) throw new Error(`byPath: ${base} is not a path such as /t`)
  const paths = [base, ...DOCUMENTS.map((document) => document + base)]
  const keyAt = (path: string) => {
    const at = paths.find((one) => path.startsWith(`${one}/`))
    return at && path.slice(at.length + 1).split('/', 1)[0]
  }
  return { paths, keyOf: ({ path }) => keyAt(path), keyIn: (url) => keyAt(new URL(url).pathname) }
}

interface HostOptions {
  /** The host of a request. Default: its header `Host`, or `:authority` of HTTP/2. Behind a proxy that sets another header, what your framework makes of it. */
  readonly hostOf?: ((request: HttpRequest) => string | undefined) | undefined
  /** Of the endpoints and the pages of core. Default: `/oauth` and `/api/oauth`. */
  readonly paths?: readonly string[] | undefined
}

/** Issuers at hosts of their own. The host is the key, in lower case, with its port unless that is 443 or 80. */
export function byHost({
  hostOf = (request) => header(request, 'host') ?? header(request, ':authority'),
  paths = ['/oauth', '/api/oauth'],
}: HostOptions = {}): IssuerAddresses {
  return {
    paths: [...DOCUMENTS, ...paths],
    keyOf(request) {
      const host = hostOf(request)
      return host === undefined ? undefined : keyAt(host)
    },
    keyIn: (url) => keyAt(new URL(url).host),
  }
}

function keyAt(host: string): string {
  return host.toLowerCase().replace(/:(443|80)$/, '')
}
