import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { startProgram } from '@grantkit/test-servers/started-program'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it } from 'vitest'
import { ROOT } from './packages/publishable.ts'

it('in a clone, start installs what the service needs and nothing of the tests', async () => {
  const clone = join(await temporaryFolder(), 'grantkit')
  execFileSync('git', ['clone', '--quiet', ROOT, clone])
  const PORT = String(await freePort())
  const service = await startProgram('exec pnpm start', clone, { PORT, BASE_URL: `http://127.0.0.1:${PORT}` })
  try {
    const page = await fetch(`${service.url}/login`)
    // The package of the provider to try is one that only tests declare.
    expect(await page.text()).toContain('Continue with Example')
    const installed = readdirSync(join(clone, 'node_modules'))
    expect(installed).toContain('node')
    for (const tool of ['vitest', 'typescript', 'workerd']) expect(installed).not.toContain(tool)
  } finally {
    await service.close()
  }
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: clone, encoding: 'utf8' })).toBe('')
})
