import { access, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { openMigrated } from './migrate.ts'

it('a new file is readable by its owner only, in a folder that is created', async () => {
  const path = join(await temporaryFolder(), 'new folder', 'service.sqlite')
  const database = await openDatabase(`sqlite:${path}`, () => {})
  await sql`create table made (id integer)`.execute(database)
  await database.destroy()
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

it('a symbolic link to a missing file is rejected, and the file is not created', async () => {
  const folder = await temporaryFolder()
  const [path, target] = [join(folder, 'service.sqlite'), join(folder, 'elsewhere.sqlite')]
  await symlink(target, path)
  await expect(openDatabase(`sqlite:${path}`, () => {})).rejects.toThrow('symbolic link')
  await expect(access(target)).rejects.toThrow('ENOENT')
})

it('a command says of a database before the first start that it has no tables yet, and lists none', async () => {
  const path = join(await temporaryFolder(), 'service.sqlite')
  await (await openDatabase(`sqlite:${path}`, () => {})).destroy()
  await expect(openMigrated(`sqlite:${path}`, () => {})).rejects.toThrow(/^it has no tables yet$/)
})
