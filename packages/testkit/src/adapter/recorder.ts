import type { HttpRequest, HttpResponse } from '@grantkit/core'
import type { Route } from '@grantkit/core/adapter'

const METHODS = ['GET', 'POST']

/** A text that no client may see: every error of these routes contains it. */
export const INTERNAL_DETAIL = 'internal-detail-4711'

/** Paths that routers read as patterns. An issuer may have them. */
export const PATTERN_LIKE_PATHS = [
  '/:tenant/token',
  '/tenant:1/token',
  '/*/token',
  '/st*r/parts/token',
  '/a.b(c)+/token',
  '/*',
]

/** The routes behind the adapter: they record requests and answer as the test wants. */
export class Recorder {
  readonly requests: HttpRequest[] = []
  /** The paths of the routes that they reached. */
  readonly routesUsed: string[] = []
  answer: HttpResponse = { status: 200, headers: {}, body: '' }

  readonly routes: readonly Route[] = [
    this.#recording('/family/literal'),
    this.#recording('/echo'),
    this.#recording('/things'),
    this.#recording('/things/parts'),
    this.#recording('/caf%C3%A9'),
    ...PATTERN_LIKE_PATHS.map((path) => this.#recording(path)),
    this.#recording('/.well-known/oauth-authorization-server'),
    { path: '/rejects', methods: METHODS, handle: () => Promise.reject(new Error(INTERNAL_DETAIL)) },
    { path: '/throws', methods: METHODS, handle: throwing },
    { path: '/mirror', methods: METHODS, handle: mirror },
    { ...this.#recording('/family'), below: true },
    { ...this.#finding('/found', '/found/here'), below: true },
  ]

  reset(): void {
    this.requests.length = 0
    this.routesUsed.length = 0
    this.answer = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'reached' }
  }

  /** The only request that arrived. @throws Error when it was none or several */
  only(): HttpRequest {
    const [request, ...others] = this.requests
    if (request === undefined || others.length > 0)
      throw new Error(`${this.requests.length} requests reached handle, not 1`)
    return request
  }

  /** It has one path below its own, known only once a request asks for it. */
  #finding(path: string, known: string): Route {
    const { handle, ...rest } = this.#recording(known)
    const lost = async () => ({ status: 404, headers: {}, body: '' })
    return {
      ...{ ...rest, path },
      find: async (request) => (request.path === known ? { handle } : undefined),
      handle: (request) => (request.path === known ? handle(request) : lost()),
    }
  }

  #recording(path: string): Route {
    const handle = async (request: HttpRequest) => {
      this.requests.push(request)
      this.routesUsed.push(path)
      return this.answer
    }
    return { path, methods: METHODS, handle }
  }
}

function throwing(): never {
  throw new Error(INTERNAL_DETAIL)
}

async function mirror({ body }: HttpRequest): Promise<HttpResponse> {
  return { status: 200, headers: { 'content-type': 'text/plain' }, body }
}
