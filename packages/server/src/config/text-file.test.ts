import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it } from 'vitest'
import { readTextFile, readTextFileSync } from './text-file.ts'

it('reads a file without its byte order mark, and refuses UTF-16 with what to do', async () => {
  const path = join(await temporaryFolder(), 'keys.json')
  await writeFile(path, '\ufeffü\r\n')
  expect([await readTextFile(path), readTextFileSync(path)]).toEqual(['ü\r\n', 'ü\r\n'])
  await writeFile(path, '\ufeff{}', 'utf16le')
  await expect(readTextFile(path)).rejects.toThrow(`${path} is not UTF-8: save it as UTF-8`)
})
