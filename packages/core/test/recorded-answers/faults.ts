import { createMemoryStore } from '@grantkit/store-memory'
import { ALICE, authorizationQuery } from '../client.ts'
import { REDIRECT_URI } from '../service.ts'
import type { Recording } from './recording.ts'

const down = () => Promise.reject(new Error('The store is down'))
const clients = { ...createMemoryStore().clients, find: down, insert: down }

/** A limit that is reached, and a store without its clients. */
export const FAULTS = { rateLimiter: { take: async () => 30 }, store: { ...createMemoryStore(), clients } }

export async function faultAnswers({ ask }: Recording): Promise<void> {
  const json = { redirect_uris: [REDIRECT_URI] }
  const remoteAddress = '203.0.113.7'
  await ask('too many registrations', 'POST', '/api/oauth/register', { json, remoteAddress })
  const query = authorizationQuery('unknown')
  await ask('a page, while the store is down', 'GET', '/oauth/authorize', { query, headers: ALICE })
}
