import { styleText } from 'node:util'
import type { RotatedSecret } from '@grantkit/core'
import { defineCommand } from 'citty'
import type { LoadService } from '../configured-service.ts'
import { DAY_SECONDS } from '../time-units.ts'
import { isoTime } from './client-lines.ts'
import { UsageError, wholeNumber } from './command-line.ts'
import { jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

const client_id = { type: 'positional', required: true } as const

/** Gives a client a new secret, while the one in use stays valid for some days. */
export const rotateSecret = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Gives a client a new secret; the one in use stays valid for some days' },
    args: {
      client_id,
      'overlap-days': {
        type: 'string',
        valueHint: 'days',
        description: 'how long the secret in use stays valid: 0 to 30, by default 1. 0 if it leaked',
      },
      'expires-in-days': {
        type: 'string',
        valueHint: 'days',
        description: 'the new secret is valid so long, at most 3650; default: without end',
      },
      'new-secret-lost': {
        type: 'boolean',
        description: 'the last new secret was lost before it was in use: replace it, and keep the one in use',
      },
      json: { type: 'boolean', description: 'prints JSON' },
    },
    run: async ({ args }) => {
      const rotation = {
        overlap: secondsOf('--overlap-days', args['overlap-days'], { min: 0, max: 30 }),
        expiresIn: secondsOf('--expires-in-days', args['expires-in-days'], { min: 1, max: 3650 }),
        newSecretLost: args['new-secret-lost'],
      }
      await withSharedStore(await load(), async ({ clients }) =>
        console.log(shown(await clients.rotateSecret(args.client_id, rotation), args.json)),
      )
    },
  })

/** Ends the older secret of a client before its time. */
export const dropOldSecret = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends the older secret of a client at once' },
    args: { client_id },
    run: async ({ args }) =>
      withSharedStore(await load(), async ({ clients }) => {
        const dropped = await clients.dropOldSecret(args.client_id)
        console.log(dropped ? 'The older secret has ended.' : `${plain(args.client_id)} has no older secret.`)
      }),
  })

/** The seconds of an option in days. @throws UsageError */
export function secondsOf(
  option: string,
  days: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  if (days === undefined) return undefined
  const number = wholeNumber(option, days, min)
  if (number > max) throw new UsageError(`${option} must be at most ${max}, not ${number}.`)
  return number * DAY_SECONDS
}

function shown(rotated: RotatedSecret, json = false): string {
  const { clientId, clientSecret, clientSecretExpiresAt, oldSecretEndsAt } = rotated
  if (json)
    return jsonText(
      {
        client_id: clientId,
        client_secret: clientSecret,
        client_secret_expires_at: clientSecretExpiresAt,
        old_secret_ends_at: oldSecretEndsAt,
      },
      2,
    )
  const older = oldSecretEndsAt === undefined ? 'has ended' : `ends at ${isoTime(oldSecretEndsAt)}`
  return [
    `client_secret  ${clientSecret}`,
    styleText('dim', 'The secret is shown this once; only its hash is kept.'),
    ...(clientSecretExpiresAt === 0 ? [] : [`It ends at ${isoTime(clientSecretExpiresAt)}.`]),
    `The older secret ${older}.`,
  ].join('\n')
}
