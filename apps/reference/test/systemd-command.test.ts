import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { shellLines } from '../../../docs/test/shell-lines.ts'
import { temporaryFolder } from './temporary-folder.ts'

/**
 * The wrapper program that runs commands with the environment of the systemd unit, with other addresses and another
 * user.
 */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const SHIPPED = join(ROOT, 'docs/operations/grantkit')

/** @returns runs a line of shell with that program on the path, and its own settings */
async function machine() {
  const folder = await temporaryFolder()
  const settings = join(folder, 'grantkit.env')
  const here = {
    '/opt/grantkit': ROOT,
    '/etc/grantkit.env': settings,
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
  await writeFile(settings, settingsIn(folder))
  return async (line: string) => {
    const env = { PATH: `${folder}:${process.env.PATH}` }
    const running = promisify(execFile)('sh', ['-c', line], { cwd: folder, env })
    running.child.stdin?.end('a long passphrase\n')
    const { stdout, stderr } = await running
    return stdout + stderr
  }
}

function settingsIn(folder: string): string {
  return `BASE_URL=https://auth.school.example
DATABASE_URL=sqlite:${folder}/service.sqlite
SECRET=${'x'.repeat(32)}
KEYS_FILE=${folder}/keys.json
`
}

it('every documented command has the settings of the service', async () => {
  const type = await machine()
  const shown = shellLines().filter(({ line }) => line.startsWith('grantkit '))
  expect(shown).not.toEqual([])
  for (const { line } of shown) await type(line)
  expect(await type('grantkit account list')).toContain('ada@school.example')
})

it('an unknown command prints the list of commands', async () => {
  const type = await machine()
  await expect(type('grantkit acount list')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('grantkit account|clients|'),
  })
})
