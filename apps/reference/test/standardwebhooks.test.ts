import { createWebhooks } from '@grantkit/notifications'
import { createMemoryStore } from '@grantkit/store-memory'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'

/** The library of the receivers verifies what the server sends. */

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`

it('standardwebhooks verifies a message by each secret of a rotation, and refuses a changed one', async () => {
  const sent: { headers: Record<string, string>; body: string }[] = []
  const { onEvent } = createWebhooks({
    issuer: 'https://auth.dev',
    store: createMemoryStore(),
    endpoints: [{ name: 'crm', url: 'https://crm.dev/hooks', secret: [secretOf(1), secretOf(2)] }],
    post: async (_, { headers, body }) => {
      sent.push({ headers: { ...headers }, body })
      return { status: 204, headers: {} }
    },
  })
  onEvent({ type: 'client_removed', clientId: 'c1', grantsEnded: 3 } as never)
  await expect.poll(() => sent).toHaveLength(1)
  const [{ body, headers }] = sent as [(typeof sent)[0]]
  for (const byte of [1, 2])
    expect(new Webhook(secretOf(byte)).verify(body, headers)).toMatchObject({
      type: 'client.removed',
      data: { client_id: 'c1', grants_ended: 3 },
    })
  expect(() => new Webhook(secretOf(3)).verify(body, headers)).toThrow()
  expect(() => new Webhook(secretOf(1)).verify(body.replace('c1', 'c2'), headers)).toThrow()
  const later = String(Number(headers['webhook-timestamp']) - 301)
  expect(() => new Webhook(secretOf(1)).verify(body, { ...headers, 'webhook-timestamp': later })).toThrow()
})
