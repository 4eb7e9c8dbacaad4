import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it } from 'vitest'
import { migrated } from './storage-of-test.ts'

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url))

it('a password prompt at a terminal does not echo the password', async () => {
  const DATABASE_URL = `sqlite:${join(await temporaryFolder(), 'service.sqlite')}`
  await migrated({ DATABASE_URL })
  const command = `"${process.execPath}" "${CLI}" account add --email ada@school.example --name Ada`
  const terminal = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    env: { PATH: process.env.PATH, DATABASE_URL },
  })
  let shown = ''
  terminal.stdout.on('data', (chunk) => {
    shown += String(chunk)
  })
  const tooEarly = once(terminal, 'close').then(() =>
    Promise.reject(new Error(`It ended and showed:\n${shown}`)),
  )
  tooEarly.catch(() => {})
  const printed = async (text: string) => {
    while (!shown.includes(text)) await Promise.race([once(terminal.stdout, 'data'), tooEarly])
  }
  await printed('Password')
  terminal.stdin.write('correct horse\n')
  await printed('ada@school.example can sign in.')
  expect(shown).not.toContain('correct')
  terminal.stdin.end()
  await once(terminal, 'close')
})
