import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it } from 'vitest'
import { grantkitProgram } from './grantkit-program.ts'

const BIN = join(import.meta.dirname, '../src/bin.ts')

it('a password prompt at a terminal does not echo the password', async () => {
  const folder = await temporaryFolder()
  await grantkitProgram(folder, {}).run(['migrate'])
  const command = `"${process.execPath}" "${BIN}" users add --email ada@notes.example --name Ada`
  const terminal = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH },
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
  await printed('ada@notes.example can sign in.')
  expect(shown).not.toContain('correct')
  terminal.stdin.end()
  await once(terminal, 'close')
})
