import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished, vi } from 'vitest'
import { parseConfig } from '../config/config.ts'
import { loadOptional } from './optional-packages.ts'
import { postgresPassword } from './postgres-password.ts'

const DATABASE_URL = 'postgres://notes@db.example:5433/auth'

async function passwordFile(content: string) {
  const file = join(await temporaryFolder(), 'password')
  await writeFile(file, content)
  const warnings: string[] = []
  const config = parseConfig({ environment: { DATABASE_URL, DATABASE_PASSWORD_FILE: file } })
  const open = () => postgresPassword(config, 'database', (warning) => warnings.push(warning))
  return { file, warnings, open }
}

it('the file of a password is read for each connection, without the line break at its end', async () => {
  const { file, warnings, open } = await passwordFile('first\n')
  const password = await open()
  expect(await password?.()).toBe('first')
  await writeFile(file, 'second\r\n')
  expect(await password?.()).toBe('second')
  expect(warnings).toEqual([])
})

it.each([
  ['missing', (file: string) => rm(file), 'ENOENT'],
  ['empty', (file: string) => writeFile(file, '\n'), 'is empty'],
])('a file that is %s is an error at the start, and a warning later', async (_, spoil, reason) => {
  const { file, warnings, open } = await passwordFile('first')
  const password = await open()
  await spoil(file)
  expect(await password?.()).toBe('first')
  expect(warnings).toEqual([expect.stringMatching(new RegExp(`^DATABASE_PASSWORD_FILE: .*${reason}`))])
  await expect(open()).rejects.toThrow(new RegExp(`^DATABASE_PASSWORD_FILE: .*${reason}`))
  await writeFile(file, 'second')
  expect(await password?.()).toBe('second')
})

it('a token of RDS IAM is signed for the host, the port and the user of the URL', async () => {
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  onTestFinished(() => void vi.unstubAllEnvs())
  const config = parseConfig({ environment: { DATABASE_URL, RDS_IAM: 'on' } })
  const password = await postgresPassword(config, 'database', () => {})
  expect(await password?.()).toMatch(
    /^db\.example:5433\/\?Action=connect&DBUser=notes&.*eu-central-1%2Frds-db/,
  )
})

it('a URL says its password itself, without one of these settings', async () => {
  const config = parseConfig({ environment: { DATABASE_URL } })
  expect(await postgresPassword(config, 'database', () => {})).toBeUndefined()
})

it('a package that is not installed is named with the command that installs it', async () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  const loading = loadOptional('one another', () => Promise.reject(missing))
  await expect(loading).rejects.toThrow('not installed: npm install one another')
  const broken = new Error('its code is at fault')
  await expect(loadOptional('one', () => Promise.reject(broken))).rejects.toBe(broken)
})
