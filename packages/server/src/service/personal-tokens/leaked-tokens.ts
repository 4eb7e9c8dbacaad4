import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { OAuthError } from '@grantkit/core'
import type { DocumentFetch } from '@grantkit/core/client-documents'
import { ERRORS } from '@grantkit/core/errors'
import type { PersonalTokens } from '@grantkit/core/personal-tokens'
import { createRoute, OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import * as z from 'zod'
import { jsonError, parseJson, prefetch, type WithBody } from '../../http/bodies-and-answers.ts'
import { error, json, UNAVAILABLE } from '../../openapi/responses.ts'

/** What GitHub sends: https://docs.github.com/en/code-security/secret-scanning/secret-scanning-partner-program */
const Report = z.array(z.object({ token: z.string(), type: z.string().max(200).default('') })).max(1000)
type Report = z.output<typeof Report>

const header = (name: string) => {
  return { name, in: 'header' as const, required: true, schema: { type: 'string' as const } }
}

const leaked = createRoute({
  ...{ method: 'post', path: '/api/tokens/leaked', operationId: 'reportLeakedTokens', security: [{}] },
  tags: ['OAuth'],
  summary: 'Report personal access tokens that are public, by a secret scanner: the live ones end',
  description: 'Signed by the scanner, with ECDSA on P-256 and SHA-256 over the body.',
  parameters: [header('Github-Public-Key-Identifier'), header('Github-Public-Key-Signature')],
  middleware: prefetch,
  responses: {
    200: json('The tokens that were real, and have ended', {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          token_raw: { type: 'string' },
          token_type: { type: 'string' },
          label: { type: 'string', enum: ['true_positive'] },
        },
      },
    }),
    400: error('The body is no report'),
    403: error('The signature is not of a key of the scanner'),
    413: error('The body is larger than 64 KiB'),
    503: UNAVAILABLE,
  },
})

/** The endpoint for the reports of a secret scanner. */
export function leakedTokens(
  tokens: Pick<PersonalTokens, 'endLeaked'>,
  keys: ScannerKeys,
): OpenAPIHono<WithBody> {
  const app = new OpenAPIHono<WithBody>()
  app.openAPIRegistry.registerPath(leaked)
  app.post(leaked.path, prefetch, async (c) => {
    if (!(await isSigned(c, keys)))
      return jsonError(c, 403, 'access_denied', 'The signature is not one of the secret scanner')
    const { data: report } = Report.safeParse(parseJson(c.var.body))
    if (report === undefined)
      return jsonError(c, 400, 'invalid_request', 'The body must be a list of { token, type }')
    return c.json(await endAll(tokens, report), 200, { 'cache-control': 'no-store' })
  })
  return app
}

async function isSigned(c: Context<WithBody>, keys: ScannerKeys): Promise<boolean> {
  const id = c.req.header('github-public-key-identifier')
  const signature = c.req.header('github-public-key-signature')
  if (id === undefined || signature === undefined) return false
  const key = await keys.find(id)
  return key !== undefined && verify('sha256', Buffer.from(c.var.body), key, Buffer.from(signature, 'base64'))
}

/** The feedback for the scanner. It says nothing of a token that is not live: it may be one from before. */
async function endAll({ endLeaked }: Pick<PersonalTokens, 'endLeaked'>, report: Report) {
  const typeOf = new Map(report.map(({ token, type }) => [token, type]))
  const ended = await endLeaked([...typeOf.keys()])
  return [...typeOf].flatMap(([token_raw, token_type]) =>
    ended.some(({ id }) => token_raw.startsWith(`gkp_${id}.`))
      ? [{ token_raw, token_type, label: 'true_positive' as const }]
      : [],
  )
}

/** The public keys of a secret scanner, in the format of GitHub. */
export interface ScannerKeys {
  /**
   * @returns `undefined` if the scanner has no such key, or it is no key of ECDSA on P-256
   * @throws OAuthError `temporarily_unavailable` if the keys cannot be fetched
   */
  find(id: string): Promise<KeyObject | undefined>
}

const KeySet = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100),
})

const MAX_BYTES = 64 * 1024
const FRESH_MS = 24 * 60 * 60 * 1000
/** Anyone may name a key that is unknown: it causes at most one request in this time. */
const BETWEEN_FETCHES_MS = 5 * 60 * 1000

/**
 * Fetches the keys when the first report arrives, and again once a day or for a key that is new.
 *
 * @param onError gets the reason of a failed fetch
 */
export function scannerKeys(
  url: string,
  fetch: DocumentFetch,
  { now = Date.now, onError }: { readonly now?: () => number; readonly onError: (error: unknown) => void },
): ScannerKeys {
  let keys: ReadonlyMap<string, string> | undefined
  let fetchedAt = Number.NEGATIVE_INFINITY
  let pending: Promise<void> | undefined

  async function refresh(): Promise<void> {
    fetchedAt = now()
    const accept = 'application/json'
    const signal = AbortSignal.timeout(10_000)
    try {
      const { status, body } = await fetch(url, { accept, maxBytes: MAX_BYTES, headers: {}, signal })
      if (status !== 200)
        throw new Error(`The keys of the secret scanner cannot be fetched: status ${status}`)
      const { public_keys } = KeySet.parse(JSON.parse(body))
      keys = new Map(public_keys.map(({ key_identifier, key }) => [key_identifier, key]))
    } catch (error) {
      onError(error)
    }
  }

  return {
    async find(id) {
      const age = now() - fetchedAt
      if (age > FRESH_MS || (age > BETWEEN_FETCHES_MS && !keys?.has(id)))
        pending ??= refresh().finally(() => {
          pending = undefined
        })
      await pending
      if (keys === undefined) throw new OAuthError(ERRORS.store_unavailable, 'The keys cannot be fetched')
      const pem = keys.get(id)
      return pem === undefined ? undefined : p256(pem)
    },
  }
}

function p256(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined
  } catch {
    return undefined
  }
}
