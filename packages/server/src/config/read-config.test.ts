import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { describe, expect, it } from 'vitest'
import { readConfig } from './read-config.ts'

/** A folder with these files, and the path of the first. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return join(folder, Object.keys(files)[0] ?? '')
}

describe('a configuration file', () => {
  it.each([
    ['grantkit.config.ts', 'const port: number = 4000\nexport default { port }'],
    ['grantkit.config.mjs', 'export default { port: 4000 }'],
    ['grantkit.config.js', 'export default () => ({ port: 4000 })'],
    ['grantkit.config.json', '{ "$schema": "./config.schema.json", "port": 4000 }'],
    ['another-name.json', '{ "port": 4000 }'],
  ])('can be %s', async (name, content) => {
    const file = await folderWith({ [name]: content })
    const found = await readConfig({ file, environment: {} })
    expect([found.file, found.config.port]).toEqual([file, 4000])
  })

  it('gets from .env what the environment does not have, and may read it', async () => {
    const file = await folderWith({
      'grantkit.config.js': 'export default { host: "::", secret: { env: "MINE" } }',
      '.env': `PORT=1\nHOST=127.0.0.2\nMINE=${'m'.repeat(32)}\n`,
    })
    const { config } = await readConfig({ file, environment: { PORT: '2', HOST: '' } })
    expect(config).toMatchObject({ port: 2, host: '127.0.0.2', secret: 'm'.repeat(32) })
  })

  it('and its .env may begin with a byte order mark, as editors of Windows write one', async () => {
    const file = await folderWith({
      'grantkit.config.json': '\ufeff{ "port": 4000 }',
      '.env': '\ufeffHOST=127.0.0.2\r\nLOG_LEVEL=silent\r\n',
    })
    const { config } = await readConfig({ file, environment: {} })
    expect(config).toMatchObject({ port: 4000, host: '127.0.0.2', logLevel: 'silent' })
  })

  it('and its .env are refused in UTF-16, of which every variable would be lost', async () => {
    const file = await folderWith({ 'grantkit.config.json': '{}' })
    const env = join(file, '../.env')
    await writeFile(env, '\ufeffHOST=127.0.0.2', 'utf16le')
    await expect(readConfig({ file, environment: {} })).rejects.toMatchObject({
      problems: [`${env} is not UTF-8: save it as UTF-8`],
    })
  })

  it('keeps the objects of a program as they are', async () => {
    const content = `
class Company {}
export default { users: { kind: 'directory', directory: new Company() } }`
    const file = await folderWith({ 'grantkit.config.mjs': content })
    const { config } = await readConfig({ file, environment: {} })
    const { users } = config
    expect(users?.kind === 'directory' && users.directory.constructor.name).toBe('Company')
  })

  it.each([
    ['grantkit.config.json', '{ horse', 'grantkit.config.json is not JSON'],
    ['grantkit.config.mjs', 'export const port = 1', 'it cannot be read: it has no default export'],
    ['grantkit.config.mjs', 'throw new Error("of mine")', 'it cannot be read: of mine'],
    // What Node throws where package.json has the type "commonjs".
    ['grantkit.config.mjs', `throw new SyntaxError("Unexpected token 'export'")`, 'npm pkg set type=module'],
    ['grantkit.config.yaml', 'port: 1', 'must end with .ts, .js, .mjs, .json'],
  ])('is named by the error if it is %s with %j', async (name, content, problem) => {
    const file = await folderWith({ [name]: content })
    const reading = readConfig({ file, environment: {} })
    await expect(reading).rejects.toThrow(file)
    await expect(reading).rejects.toMatchObject({ problems: [expect.stringContaining(problem)] })
  })

  it('must be there if it is named', async () => {
    await expect(readConfig({ file: '/gone.json', environment: {} })).rejects.toThrow(
      'there is no file /gone.json',
    )
  })
})
