import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sessionCookie } from '@grantkit/test-servers/session-cookie'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { FIREBASE_HASH_CONFIG, PEPPER, SAMPLES } from './exported-samples.ts'
import { ranCommand } from './ran-command.ts'
import { runServer } from './running-server.ts'

/** A thousand users of each system move, and the first of them sign in. It prints the seconds of each step. */

const USERS = 1000
const SIGN_INS = 10

it.each([...Map.groupBy(SAMPLES, ({ from }) => from)])(
  '%s: a dry run, an import, sign-ins with new hashes',
  { timeout: 300_000 },
  async (from, samples) => {
    const server = await runServer({ PASSWORD_PEPPER: PEPPER, RATE_LIMITS: 'off' })
    onTestFinished(() => server.close())
    const folder = await temporaryFolder()
    const [path, config] = [join(folder, 'users.json'), join(folder, 'hash-config.txt')]
    const sampleOf = (n: number) => samples[n % samples.length] as (typeof samples)[number]
    const users = Array.from({ length: USERS }, (_, n) => sampleOf(n).entry(n))
    await writeFile(path, JSON.stringify({ users }))
    await writeFile(config, FIREBASE_HASH_CONFIG)
    const words = ['users', 'import', path, '--from', from]
    const imports = (...more: string[]) =>
      ranCommand(server, [...words, ...(from === 'firebase' ? ['--hash-config', config] : []), ...more])

    const seconds: string[] = []
    async function timed<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
      const began = performance.now()
      const result = await work()
      seconds.push(`${step} ${((performance.now() - began) / 1000).toFixed(1)} s`)
      return result
    }
    const counts = (text: string) => expect.stringContaining(text)
    const tried = await timed('dry run', () => imports('--dry-run'))
    expect(tried).toMatchObject({ status: 0, output: counts(`${USERS} would be added`) })
    const done = await timed('import', () => imports('--emails-verified'))
    expect(done).toMatchObject({ status: 0, output: counts(`${USERS} added, 0 present already, 0 refused`) })
    await timed(`${SIGN_INS} sign-ins`, async () => {
      for (let n = 0; n < SIGN_INS; n++) {
        const { baseUrl } = server
        const cookie = await sessionCookie(baseUrl, `user-${n}@${from}.example`, sampleOf(n).password)
        const page = await fetch(`${baseUrl}/account`, { headers: { cookie }, redirect: 'manual' })
        expect(page.status, `user ${n} with ${sampleOf(n).scheme}`).toBe(200)
      }
      await server.settled()
    })
    const hashes = await server.database.selectFrom('account').select(['email', 'password']).execute()
    const first = hashes.filter(({ email }) => /^user-\d@/.test(email ?? ''))
    expect(first).toHaveLength(SIGN_INS)
    for (const { email, password } of first) expect(password, `${email}`).toContain('m=19456,t=2,p=1$')
    const again = await timed('import again', () => imports())
    expect(again).toMatchObject({ status: 0, output: counts(`${USERS} present already`) })
    console.info(`${from}, ${USERS} users: ${seconds.join(', ')}`)
  },
)
