import { join } from 'node:path'
import { freePort } from '@grantkit/test-servers/free-port'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { run } from './program.ts'

it('a production database has no demo school until a start with --demo, and keeps it then', async () => {
  const folder = await temporaryFolder()
  const environment = {
    NODE_ENV: 'production',
    DATABASE_URL: `sqlite:${join(folder, 'service.sqlite')}`,
    KEYS_FILE: join(folder, 'keys.json'),
    SECRET: 's'.repeat(32),
    BASE_URL: 'https://school.example',
  }
  const migrating = run('cli.ts database', ['migrate'], { environment })
  expect(await migrating.ended, migrating.output()).toBe(0)
  expect(await run('cli.ts keys', ['rotate'], { environment }).ended).toBe(0)
  for (const [args, courses] of [
    [[], 0],
    [['--demo'], 5],
    [[], 5],
  ] as const) {
    const PORT = `${await freePort()}`
    const program = run('main.ts', args, { environment: { ...environment, PORT } })
    onTestFinished(() => program.stop())
    await program.printed('listening')
    const { total } = (await (await fetch(`http://127.0.0.1:${PORT}/api/courses`)).json()) as {
      total: number
    }
    expect(total, args.join()).toBe(courses)
    program.stop()
    await program.ended
  }
})
