import type { AuthorizationServer } from '@grantkit/core'
import { type OpenAPIHono, z } from '@hono/zod-openapi'
import { DAY_SECONDS } from '../config/time-units.ts'
import { IdempotencyKey } from './client-messages.ts'
import {
  type AdminEnv,
  actorOf,
  body,
  CONFLICT,
  json,
  moment,
  NO_CONTENT,
  type OnceOnly,
  type Operations,
  text,
} from './operation.ts'

export interface InitialAccessTokensOptions {
  readonly clients: AuthorizationServer['clients']
  readonly onceOnly: OnceOnly
}

const NewToken = z
  .strictObject({
    label: z.string().min(1).max(60).openapi({ description: 'For whom it is' }),
    uses: z
      .int()
      .min(1)
      .max(10_000)
      .default(1)
      .openapi({ description: 'How many clients may register with it' }),
    expires_in: z
      .int()
      .min(1)
      .max(366 * DAY_SECONDS)
      .default(DAY_SECONDS)
      .openapi({ description: 'Seconds' }),
    scopes: z.array(text).min(1).max(500).optional().openapi({
      description:
        'The scopes that its clients may ever request. Default: every scope but admin:read and admin:write',
    }),
  })
  .openapi('NewInitialAccessToken')
const AddedToken = z
  .object({
    id: z.string(),
    token: z.string().openapi({ description: 'Shown this once; only its hash is kept' }),
    expires_at: z.iso.datetime(),
  })
  .openapi('InitialAccessToken')
const TokenPath = z.object({ id: text })

const tags = ['Clients']

/** Makes and ends initial access tokens (RFC 7591 3). */
export function initialAccessTokens(
  app: OpenAPIHono<AdminEnv>,
  operation: Operations,
  { clients, onceOnly }: InitialAccessTokensOptions,
): void {
  const add = operation('admin:write', {
    ...{ method: 'post', path: '/initial-access-tokens', operationId: 'addInitialAccessToken', tags },
    request: { headers: IdempotencyKey, body: body(NewToken) },
    summary: 'Make a token with which clients register themselves',
    description: 'Registration demands one where INITIAL_ACCESS_TOKENS is on.',
    responses: { 201: json('The token', AddedToken), ...CONFLICT },
  })
  const remove = operation('admin:write', {
    ...{
      method: 'delete',
      path: '/initial-access-tokens/{id}',
      operationId: 'removeInitialAccessToken',
      tags,
    },
    request: { params: TokenPath },
    summary: 'End a token; clients that registered with it stay',
    responses: NO_CONTENT,
  })
  app
    .openapi(add, async (c) => {
      const { expires_in: expiresIn, ...options } = c.req.valid('json')
      const key = c.req.valid('header')['idempotency-key']
      const make = () => clients.addInitialAccessToken({ ...options, expiresIn })
      const { id, token, expiresAt } = await onceOnly(actorOf(c), key, make)
      return c.json({ id, token, expires_at: moment(expiresAt) }, 201)
    })
    .openapi(remove, async (c) => {
      await clients.removeInitialAccessToken(c.req.valid('param').id)
      return c.body(null, 204)
    })
}
