import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { type SchoolRecords, schoolRecords } from '../src/school/records.ts'
import { connected, onEachDatabase } from './on-each-database.ts'

/** Where the two databases could differ: comparison, search, constraints, counting. */

onEachDatabase((newDatabase) => {
  const open = async (): Promise<SchoolRecords> =>
    schoolRecords(await connected(await newDatabase()), randomUUID)

  it('finds words anywhere, and treats none as a pattern', async () => {
    const school = await open()
    await school.add('pages', { title: '50% off_ \\ Grüße', published: true })
    const found = async (...words: string[]) => (await school.list('pages', { words })).total
    expect(await found('50%', 'off_', '\\', 'grüße')).toBe(1)
    for (const word of ['5%f', 'of__', 'x', '\0', '%'])
      expect(await found(word), word).toBe(word === '%' ? 1 : 0)
  })

  it('finds only ids in the format of the school', async () => {
    const school = await open()
    for (const id of ['', '\0', 'a b', "' or 1=1 --", '\ud800', 'x'.repeat(65)])
      expect(await school.find('courses', id), id).toBeUndefined()
  })

  it('accepts one of many concurrent records with the same unique value', async () => {
    const school = await open()
    const request = Array.from({ length: 8 }, () => school.add('pages', { title: 'About', slug: 'about-us' }))
    expect((await Promise.all(request)).filter((added) => added !== 'taken')).toHaveLength(1)
  })

  it('accepts one of many concurrent changes of the same revision', async () => {
    const school = await open()
    const seen = await school.find('courses', 'bread-at-home')
    if (seen === undefined) throw new Error('The demo school is not there')
    const changes = Array.from({ length: 8 }, (_, lessons) =>
      school.replace('courses', seen, { title: 'Bread', lessons }),
    )
    expect((await Promise.all(changes)).filter((changed) => changed !== 'changed')).toHaveLength(1)
    expect(await school.remove('courses', seen)).toBe(false)
  })

  it('lists every record once, page by page, in the order in which they were added', async () => {
    const school = await open()
    for (let n = 0; n < 12; n++) await school.add('pages', { title: `Page ${n}` })
    const titles: unknown[] = []
    for (let page = await school.list('pages', { limit: 4 }); ; ) {
      titles.push(...page.items.map(({ title }) => title))
      if (page.last === undefined) break
      page = await school.list('pages', { limit: 4, after: page.last })
    }
    expect(titles.slice(3)).toEqual(Array.from({ length: 12 }, (_, n) => `Page ${n}`))
    expect(titles).toEqual((await school.list('pages', {})).items.map(({ title }) => title))
  })
})

it('a record that cannot be written now is a temporary error', async () => {
  const file = join(await temporaryFolder(), 'service.sqlite')
  const school = schoolRecords(await connected(`sqlite:${file}`), randomUUID)
  const other = new DatabaseSync(file)
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const late = school.add('pages', { title: 'Late' })
  await expect(late).rejects.toMatchObject({ error: 'temporarily_unavailable' })
})
