import { expect, it } from 'vitest'
import { payloadsOf, WEBHOOK_TYPES } from './webhook-message.ts'

const USER = { subject: 'alice', by: 'user' }
const GRANT = { grant_id: 'g', client_id: 'c', ...USER, reason: 'stolen' }

/** Every member that an event could have. */
const EVENT = {
  ...{ ...USER, grantId: 'g', clientId: 'c', reason: 'stolen', email: 'alice@server.example' },
  ...{ members: ['scopes'], grantsEnded: 2, scopes: ['a'], resources: ['https://r.example'], keyIds: ['k'] },
}

it.each<[string, string[], object]>([
  ['account_disabled', ['account.disabled'], USER],
  ['account_removed', ['account.removed'], USER],
  ['client_added', ['client.added'], { client_id: 'c' }],
  ['client_changed', ['client.changed'], { client_id: 'c', members: ['scopes'] }],
  ['client_removed', ['client.removed'], { client_id: 'c', grants_ended: 2 }],
  ['consent_granted', ['consent.granted'], { ...GRANT, scopes: ['a'], resources: ['https://r.example'] }],
  ['grant_revoked', ['grant.ended'], GRANT],
  ['grant_ended', ['grant.ended', 'grant.reuse_detected'], GRANT],
  ['signing_keys_changed', ['keys.rotated'], { key_ids: ['k'] }],
  ['sessions_ended', ['session.ended'], USER],
  ['signed_out', ['session.ended'], USER],
  ['refused', [], {}],
])('the event %s is sent as %j with its ids alone', (type, types, data) => {
  const timestamp = '1970-01-01T00:00:01.000Z'
  expect(payloadsOf({ ...EVENT, type }, 1)).toEqual(types.map((type) => ({ type, timestamp, data })))
  expect(WEBHOOK_TYPES).toEqual(expect.arrayContaining(types))
})
