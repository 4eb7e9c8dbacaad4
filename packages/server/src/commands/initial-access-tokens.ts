import { styleText } from 'node:util'
import type { FoundInitialAccessToken } from '@grantkit/core'
import { defineCommand } from 'citty'
import type { LoadService } from '../configured-service.ts'
import { DAY_SECONDS } from '../time-units.ts'
import { isoTime } from './client-lines.ts'
import { UsageError, wholeNumber } from './command-line.ts'
import { jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

/** Makes a token with which clients register themselves (RFC 7591 3). */
export const addToken = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Makes an initial access token, with which clients register themselves' },
    args: {
      label: { type: 'string', required: true, description: 'for whom it is, at most 60 characters' },
      uses: { type: 'string', description: 'how many clients may register with it; default: 1' },
      days: { type: 'string', description: 'how long it is valid, at most 366; default: 1' },
      scope: {
        type: 'string',
        valueHint: 'scopes',
        description: 'all that its clients may ever request; default: all but admin:read and admin:write',
      },
      json: { type: 'boolean', description: 'prints JSON' },
    },
    run: async ({ args: { label, uses = '1', days = '1', scope, json } }) => {
      const options = {
        label,
        uses: wholeNumber('--uses', uses),
        expiresIn: wholeNumber('--days', days) * DAY_SECONDS,
        scopes: scope?.split(' '),
      }
      const configured = await load()
      const { initialAccessTokens, registration } = configured.config.features
      if (!registration || !initialAccessTokens) throw new UsageError('It needs INITIAL_ACCESS_TOKENS=on.')
      await withSharedStore(configured, async ({ clients }) => {
        const { id, token, expiresAt } = await clients.addInitialAccessToken(options)
        if (json) return console.log(jsonText({ id, token, expires_at: isoTime(expiresAt) }, 2))
        console.log(`id     ${id}\ntoken  ${token}`)
        console.log(styleText('dim', 'The token is shown this once; only its hash is kept.'))
        console.log(`It ends at ${isoTime(expiresAt)}.`)
      })
    },
  })

/** The tokens that have not expired, the newest first. */
export const listTokens = (load: LoadService) =>
  defineCommand({
    meta: { description: 'The initial access tokens in the audit trail that have not expired' },
    args: { json: { type: 'boolean', description: 'prints a JSON line for each' } },
    run: async ({ args: { json } }) =>
      withSharedStore(await load(), async ({ clients }, { database, trail }) => {
        const { recentInitialTokens } = await import('../operator/initial-tokens.ts')
        const { trailReader } = await import('../audit/trail-reader.ts')
        const reader = trailReader(database, trail)
        let cursor: string | undefined
        do {
          const { tokens, next } = await recentInitialTokens(reader, clients, cursor)
          for (const token of tokens) console.log(json ? jsonText(token) : tokenLine(token))
          cursor = next
        } while (cursor !== undefined)
      }),
  })

function tokenLine({ id, label, uses, scopes, expiresAt }: FoundInitialAccessToken): string {
  const left = uses === 0 ? 'used up' : `${uses} left`
  const limit = scopes === undefined ? 'every scope' : scopes.join(' ')
  return [id, `until ${isoTime(expiresAt)}`, left, limit, styleText('bold', plain(label))].join('  ')
}

/** Ends such a token. */
export const removeToken = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends an initial access token; clients that registered with it stay' },
    args: { id: { type: 'positional', required: true } },
    run: async ({ args: { id } }) =>
      withSharedStore(await load(), async ({ clients }) => {
        if (!(await clients.removeInitialAccessToken(id))) throw new Error(`There is no token ${plain(id)}`)
        console.log('The token has ended.')
      }),
  })
