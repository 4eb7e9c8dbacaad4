import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { D1_SCHEMA } from '../src/d1-schema.ts'

const FOLDER = join(import.meta.dirname, '../migrations')
const SOURCES = join(import.meta.dirname, '../src')

it('the migration files for wrangler make the tables that migrate() makes', () => {
  const files = readdirSync(FOLDER).sort()
  const text = files.map((name) => readFileSync(join(FOLDER, name), 'utf8')).join('')
  const statements = text.replaceAll(/^--.*\n/gm, '').split(';')
  expect(statements.map((statement) => statement.trim()).filter(Boolean)).toEqual(D1_SCHEMA)
})

/** A session may read a replica, and an unconfirmed write may be lost after its answer. */
it.each(['withSession', 'allowUnconfirmed'])('no source calls %s', (word) => {
  for (const name of readdirSync(SOURCES))
    expect(readFileSync(join(SOURCES, name), 'utf8'), name).not.toContain(word)
})
