import { env } from 'cloudflare:workers'
import { describeStore } from '@grantkit/testkit'
import { createD1Store, migrate } from '../../src/d1.ts'
import { PATIENT } from './patient.ts'

describeStore(
  'D1',
  async ({ now }) => {
    await migrate(env.DB)
    return { store: createD1Store(env.DB, { now, ...PATIENT }) }
  },
  { transients: true, namespaces: true },
)
