import { env } from 'cloudflare:workers'
import { describeStore } from '@grantkit/testkit'
import { createDurableStore } from '../../src/durable-objects.ts'

describeStore(
  'Durable Objects',
  ({ now }) => ({ store: createDurableStore(env.RECORDS, { objects: 8, now, commandTimeout: 20_000 }) }),
  { transients: true },
)
