import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { written } from '../../test/written-history.ts'
import { CHECK_IDS } from '../check-id.ts'
import { IDEAL } from '../history/declared.ts'
import { writeHistory } from '../history/ndjson.ts'
import { type CheckFileOptions, checkFile } from './check-file.ts'

const SAFE = written('0-1 user approve: ok C1\n2-3 app redeem C1: ok A1 R1')
const UNSAFE = written(`0-1 user approve: ok C1
  2-9 app redeem C1: ok A1 R1
  2-8 app-2 redeem C1: ok A2 R2`)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'torture-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function checked(text: string, options: CheckFileOptions = {}) {
  const path = join(folder, 'history.ndjson')
  await writeFile(path, text)
  const printed: string[] = []
  const code = await checkFile(path, options, (line) => printed.push(line))
  return { code, text: printed.join('\n') }
}

describe('checkFile', () => {
  it('ends with 0 for a history of a correct server', async () => {
    expect((await checked(writeHistory([{ check: 'code-twice', operations: SAFE }]))).code).toBe(0)
  })

  it('ends with 1 and the line to run for a finding, of all rounds of a check', async () => {
    const rounds = [SAFE, UNSAFE].map((operations) => ({
      check: 'code-twice' as const,
      seed: '7',
      operations,
    }))
    const { code, text } = await checked(writeHistory(rounds))
    expect(code).toBe(1)
    expect(text).toContain('The code C1 gave tokens twice, to app and app-2. Seen in 1 of 2 rounds.')
    expect(text).toContain('history.ndjson --only code-twice')
  })

  it('judges a history without a header by each check', async () => {
    const { code, text } = await checked(writeHistory([{ operations: UNSAFE }]).replace(/^.*\n/, ''), {
      format: 'json',
    })
    expect(code).toBe(1)
    expect(JSON.parse(text).findings).toHaveLength(CHECK_IDS.length)
  })

  it('takes what is declared over what the file says', async () => {
    const operations = written('0-1 user logout: ok\n2-3 app refresh R1: ok A2 R2')
    const text = writeHistory([{ check: 'after-logout', declared: IDEAL, operations }])
    expect((await checked(text)).code).toBe(1)
    expect((await checked(text, { declared: { logoutEnds: false } })).code).toBe(0)
  })

  it('ends with 2 and one line for a file that is no history', async () => {
    const { code, text } = await checked('{"history":1}\nnonsense\n')
    expect({ code, text }).toMatchObject({
      code: 2,
      text: expect.stringMatching(/^.* is no history. Line 2: it is not JSON.$/),
    })
    expect((await checked('')).code).toBe(2)
    expect(await checkFile(join(folder, 'absent'), {}, () => {})).toBe(2)
  })
})
