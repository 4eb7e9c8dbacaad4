import { bearerGet, get, postForm, postJson } from './http-text.ts'
import { authorizationQuery, CLIENT_METADATA, REDIRECT_URI, VERIFIER } from './sample.ts'
import type { Work } from './target.ts'

/** The workloads for any server. A target adds its paths, and how to make codes and tokens. */

type Make = (index: number) => Promise<string> | string

export function registerWork(path: string, metadata: object = CLIENT_METADATA): Work {
  return repeated(postJson(path, metadata))
}

/** RFC 6749 4.1.3 with RFC 7636 4.5. */
export function codeWork(path: string, clientId: string, newCode: Make): Work {
  return each(async (index) =>
    postForm(path, {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
      code: await newCode(index),
    }),
  )
}

/**
 * RFC 6749 6. Each grant once: an app refreshes when its access token ends, so a grant has one or two. In a loop it would
 * collect as many as it may have.
 */
export function refreshWork(path: string, clientId: string, newRefreshToken: Make): Work {
  return each(async (index) =>
    postForm(path, {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: await newRefreshToken(index),
    }),
  )
}

/** Uses a hundred live tokens in turn. */
export function protectedWork(path: string, newAccessToken: Make): Work {
  return inTurn(async (index) => bearerGet(path, await newAccessToken(index)))
}

/** RFC 7662 2.1 with a client secret in the body (RFC 6749 2.3.1). */
export function introspectWork(
  path: string,
  client: { readonly client_id: string; readonly client_secret: string },
  newAccessToken: Make,
): Work {
  return inTurn(async (index) => postForm(path, { ...client, token: await newAccessToken(index) }))
}

export function authorizeWork(path: string, clientId: string, more?: Record<string, string>): Work {
  return repeated(get(`${path}?${authorizationQuery(clientId, more)}`))
}

/** The browser of a signed-in user sends it, so the answer is a consent page. */
export function consentPageWork(path: string, clientId: string, cookie: string): Work {
  return repeated(get(`${path}?${authorizationQuery(clientId)}`, { cookie }))
}

export function metadataWork(path = '/.well-known/oauth-authorization-server'): Work {
  return repeated(get(path))
}

export function repeated(request: string): Work {
  return { requests: (count) => new Array<string>(count).fill(request) }
}

/** Makes them one by one: many at once would keep many sign-ins in memory. */
export function each(make: (index: number) => Promise<string>): Work {
  return {
    async requests(count) {
      const made: string[] = []
      for (let index = 0; index < count; index++) made.push(await make(index))
      return made
    },
  }
}

const DIFFERENT = 100

export function inTurn(make: (index: number) => Promise<string>): Work {
  const made: string[] = []
  return {
    async requests(count) {
      while (made.length < DIFFERENT) made.push(await make(made.length))
      return Array.from({ length: count }, (_, index) => made[index % DIFFERENT] ?? '')
    },
  }
}
