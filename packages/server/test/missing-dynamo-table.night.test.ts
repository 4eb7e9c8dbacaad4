import { startDynalite } from '@grantkit/test-servers/dynalite'
import { expect, it, onTestFinished, vi } from 'vitest'
import { unreachable } from '../src/commands/check-configuration.ts'
import { parseConfig } from '../src/config/config.ts'

it('a check accepts a missing table of an emulator that a start creates, and creates none', async () => {
  const server = await startDynalite()
  onTestFinished(() => server.close())
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test')
  onTestFinished(() => void vi.unstubAllEnvs())
  const STORE_URL = `dynamodb://grantkit?region=eu-central-1&endpoint=${server.endpoint}`
  const config = parseConfig({ environment: { STORE_URL, DATABASE_URL: 'memory:' } })
  expect(await unreachable(config)).toEqual([])
  expect(
    await unreachable({ ...config, mode: 'production' }),
    'the check has created none, and a start in production creates none',
  ).toEqual([expect.stringContaining('there is no table grantkit: create it, as the README')])
})
