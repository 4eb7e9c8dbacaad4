import { env } from 'cloudflare:workers'
import { describeStore } from '@grantkit/testkit'
import { createDurableStore } from '../../src/durable-objects.ts'
import { PATIENT } from './patient.ts'

describeStore(
  'Durable Objects',
  ({ now }) => ({ store: createDurableStore(env.RECORDS, { objects: 8, now, ...PATIENT }) }),
  { transients: true, namespaces: true },
)
