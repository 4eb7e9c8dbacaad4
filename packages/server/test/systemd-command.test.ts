import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PROGRAM_ENVIRONMENT } from '@grantkit/test-servers/program-environment'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it } from 'vitest'
import { shellLines } from '../../../docs/test/shell-lines.ts'

/**
 * The wrapper program that runs commands with the environment of the systemd unit, with other addresses and another
 * user.
 */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** In this order: one adds the user whom the other names. */
const PAGES = /^docs\/(operations|server)\b.*$/
/** The command looks for it in the database of the server, which has no such sign-in. */
const EXAMPLE_REFERENCE = /^grantkit why \w{4}-\w{4}/
const SHIPPED = join(ROOT, 'docs/operations/grantkit')

/** @returns runs a line of shell with that program on the path, and its own settings */
async function machine() {
  const folder = await temporaryFolder()
  const here = {
    '/opt/grantkit/': ROOT,
    '/etc/grantkit': folder,
    'runuser -u grantkit -- /usr/bin/node': process.execPath,
  }
  const program = Object.entries(here).reduce(
    (text, [there, own]) => {
      expect(text).toContain(there)
      return text.replaceAll(there, own)
    },
    await readFile(SHIPPED, 'utf8'),
  )
  await writeFile(join(folder, 'grantkit'), program)
  await chmod(join(folder, 'grantkit'), 0o755)
  await writeFile(join(folder, '.env'), settingsIn(folder))
  return async (line: string) => {
    const env = { ...PROGRAM_ENVIRONMENT, PATH: `${folder}:${process.env.PATH}` }
    const running = promisify(execFile)('sh', ['-c', line], { cwd: folder, env })
    running.child.stdin?.end('a long passphrase\n')
    const { stdout, stderr } = await running
    return stdout + stderr
  }
}

function settingsIn(folder: string): string {
  return `BASE_URL=https://auth.notes.example
DATABASE_URL=sqlite:${folder}/server.sqlite
SECRET=${'x'.repeat(32)}
KEYS_FILE=${folder}/keys.json
`
}

it('every documented command has the settings of the server', async () => {
  const type = await machine()
  const shown = shellLines().filter(({ line, page }) => PAGES.test(page) && line.startsWith('grantkit '))
  expect(shown).not.toEqual([])
  for (const { line } of shown)
    if (EXAMPLE_REFERENCE.test(line))
      await expect(type(line)).rejects.toThrow('No sign-in with the reference')
    else await type(line)
  expect(await type('grantkit users list')).toContain('ada@example.com')
})

it('a misspelled command ends with an error', async () => {
  const type = await machine()
  await expect(type('grantkit user list')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean users?'),
  })
})
